;;; acp.el --- Speaks the Agent Client Protocol with Emacs's own processes  -*- lexical-binding: t -*-

;; As its packages do:  emacs -Q --batch -l acp.el SCORELCTL HOME DIRECTORY

(require 'json)

(defvar acp-rest "")
(defvar acp-calls 0)
(defvar acp-answers (make-hash-table))
(defvar acp-asked 0)
(defvar acp-said "")
(defvar acp-process nil)

(defun acp-send (message)
  (process-send-string acp-process (concat (json-serialize (append '(:jsonrpc "2.0") message)) "\n")))

(defun acp-receive (message)
  (pcase (plist-get message :method)
    ("session/request_permission"
     (setq acp-asked (1+ acp-asked))
     (acp-send (list :id (plist-get message :id)
                     :result '(:outcome (:outcome "selected" :optionId "once")))))
    ("session/update"
     (let ((update (plist-get (plist-get message :params) :update)))
       (when (equal (plist-get update :sessionUpdate) "agent_message_chunk")
         (setq acp-said (concat acp-said (plist-get (plist-get update :content) :text))))))
    ('nil (puthash (plist-get message :id) message acp-answers))))

(defun acp-filter (_process text)
  (let ((lines (split-string (concat acp-rest text) "\n")))
    (setq acp-rest (car (last lines)))
    (dolist (line (butlast lines))
      (acp-receive (json-parse-string line :object-type 'plist)))))

(defun acp-call (method params)
  (let ((id (setq acp-calls (1+ acp-calls))) (deadline (+ (float-time) 60)) answer)
    (acp-send (list :id id :method method :params params))
    (while (not (setq answer (gethash id acp-answers)))
      (when (> (float-time) deadline) (error "%s was not answered" method))
      (accept-process-output acp-process 0.1))
    (when (plist-get answer :error) (error "%S" (plist-get answer :error)))
    (plist-get answer :result)))

(pcase-let ((`(,scorelctl ,home ,directory) command-line-args-left))
  (setq command-line-args-left nil)
  (setenv "SCOREL_HOME" home)
  (setq acp-process (make-process :name "acp" :command (list scorelctl "acp") :connection-type 'pipe
                                  :coding 'utf-8-unix :filter #'acp-filter :noquery t))
  (acp-call "initialize" '(:protocolVersion 1 :clientCapabilities (:terminal :false)))
  (let* ((session (plist-get (acp-call "session/new" (list :cwd directory :mcpServers [])) :sessionId))
         (prompt (vector '(:type "text" :text "What is here?")))
         (ended (acp-call "session/prompt" (list :sessionId session :prompt prompt))))
    (unless (and (equal (plist-get ended :stopReason) "end_turn")
                 (> acp-asked 0)
                 (string-search session acp-said))
      (error "Unexpected: %S, %d questions" ended acp-asked)))
  (princ "acp.el: a conversation\n"))
