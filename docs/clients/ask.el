;;; ask.el --- Asks an agent and prints its answer, across restarts of the daemon  -*- lexical-binding: t -*-

;; For Emacs 28 and newer:  emacs -Q --batch -l ask.el SOCKET DIRECTORY MESSAGE

(require 'jsonrpc)
(require 'seq)

(defvar ask-connection nil)
(defvar ask-session-id nil)
(defvar ask-outcome nil)
(defvar ask-questions nil "Open questions.")
(defvar ask-asked nil "The ids of questions that were shown.")
(defvar ask-anchors nil "The plist that says how far the screen is.")
(defvar ask-caught-up nil)
(defvar ask-printed (make-hash-table :test #'equal) "How much of each block of text is on the screen.")

(defun ask-client-id ()
  "The id of this installation: made once, and kept."
  (let ((file (locate-user-emacs-file "scorel-ask-id")) (digits "0123456789ABCDEFGHJKMNPQRSTVWXYZ"))
    (unless (file-exists-p file)
      (make-directory (file-name-directory file) t)
      (random t)
      (write-region (apply #'string ?c ?l ?i ?_ ?0 (mapcar (lambda (_) (aref digits (random 32))) (number-sequence 1 25)))
                    nil file nil 'silent))
    (with-temp-buffer (insert-file-contents file) (buffer-string))))

(defun ask-show (event-id blocks)
  "Print what is not on the screen yet of a message's text."
  (seq-do-indexed
   (lambda (block index)
     (when (equal (plist-get block :type) "text")
       (let ((name (cons event-id index)) (text (plist-get block :text)))
         (send-string-to-terminal (substring text (gethash name ask-printed 0)))
         (puthash name (length text) ask-printed))))
   blocks))

(defun ask-forget-question (request-id)
  (setq ask-questions (seq-remove (lambda (it) (equal (plist-get it :requestId) request-id)) ask-questions)))

(defun ask-apply (event)
  "Take an EVENT or a marker."
  (pcase (plist-get event :type)
    ((and "sync_start" (let mode (plist-get event :mode)) (guard (not (equal mode "stream_resume"))))
     (setq ask-caught-up nil ask-anchors (plist-put ask-anchors :streamLastSeq nil))
     (when (equal mode "full_reload")
       (setq ask-anchors nil)
       (clrhash ask-printed)))
    ("in_flight"
     (let ((in-flight (plist-get event :inFlight)))
       (seq-do (lambda (it) (ask-show (plist-get it :eventId) (plist-get it :blocks))) (plist-get in-flight :messages))
       (setq ask-questions (append (plist-get in-flight :permissions) nil))))
    ((and "sync_end" (guard (not ask-caught-up)))
     (setq ask-caught-up t ask-anchors (plist-put ask-anchors :streamLastSeq (plist-get event :throughSeq))))
    ("text_delta"
     (let ((name (cons (plist-get event :eventId) (plist-get event :blockIndex))) (delta (plist-get event :delta)))
       (cl-incf (gethash name ask-printed 0) (length delta))
       (send-string-to-terminal delta)))
    ((and "message" (let message (plist-get event :message)) (guard (equal (plist-get message :role) "assistant")))
     (ask-show (plist-get event :id) (plist-get message :content)))
    ("permission_request" (push event ask-questions))
    ("permission_decision" (ask-forget-question (plist-get event :requestId)))
    ("turn_outcome" (setq ask-outcome (plist-get event :reason))))
  (when-let ((prev (plist-get event :prev)))
    (if (/= prev (or (plist-get ask-anchors :persistentLastSeq) 0))
        (ask-disconnect)                ; an event is missing
      (setq ask-anchors (plist-put ask-anchors :persistentLastSeq (plist-get event :seq))
            ask-anchors (plist-put ask-anchors :persistentLastId (plist-get event :id)))))
  (when (and ask-caught-up (plist-get event :seq))
    (setq ask-anchors (plist-put ask-anchors :streamLastSeq (plist-get event :seq)))))

(defun ask-disconnect ()
  (when ask-connection (jsonrpc-shutdown ask-connection))
  (setq ask-connection nil))

(defun ask-connect (socket)
  "Connect to SOCKET and subscribe to the session."
  (setq ask-connection
        (make-instance
         'jsonrpc-process-connection :name "scorel"
         :process (make-network-process :name "scorel" :family 'local :service socket :coding 'utf-8-emacs-unix :noquery t)
         :notification-dispatcher (lambda (_ _method params) (ask-apply (plist-get params :result)))))
  (jsonrpc-request ask-connection 'hello `(:clientId ,(ask-client-id) :protocol (:min 1 :max 1)))
  (when ask-session-id
    (jsonrpc-request ask-connection 'subscribeEvents `(:sessionId ,ask-session-id ,@ask-anchors))))

(defun ask-persist (action socket)
  "Do ACTION with a connection to SOCKET; again if the connection breaks."
  (let (done result)
    (while (not done)
      (condition-case problem
          (progn
            (accept-process-output nil 0) ; a batch Emacs dies of writing to a connection that has ended
            (unless (and ask-connection (jsonrpc-running-p ask-connection)) (ask-connect socket))
            (setq result (funcall action) done t))
        ((file-error jsonrpc-error)
         (when (and ask-connection (jsonrpc-running-p ask-connection)) (signal (car problem) (cdr problem)))
         (sleep-for 0.1))))
    result))

(defun ask-command (socket method &rest params)
  "Call METHOD until there is an answer.  The daemon applies it once."
  (let ((command `(,@params :commandId ,(format "ask-%s-%s" (emacs-pid) (float-time)))))
    (ask-persist (lambda () (jsonrpc-request ask-connection method command)) socket)))

(pcase-let* ((`(,socket ,directory ,text) command-line-args-left)
             (project (plist-get (ask-command socket 'registerProject :workDir (expand-file-name directory)) :project))
             (session (ask-command socket 'createSession :projectId (plist-get project :projectId))))
  (setq ask-session-id (plist-get session :sessionId))
  (ask-disconnect)                      ; the next connection subscribes
  (ask-command socket 'sendMessage :sessionId ask-session-id :content text)
  (while (not ask-outcome)
    (if-let ((question (pop ask-questions)))
        (unless (member (plist-get question :requestId) ask-asked)
          (push (plist-get question :requestId) ask-asked)
          (send-string-to-terminal (format "\n%s asks: %s\n%s\n" (plist-get question :toolName)
                                           (plist-get question :reason) (json-serialize (plist-get question :input))))
          (ask-command socket 'respondPermission :sessionId ask-session-id :requestId (plist-get question :requestId)
                       :decision (if (equal (read-string "allow? [y/n] ") "y") "once" "deny")))
      (ask-persist (lambda () (accept-process-output nil 0.1)) socket)))
  (kill-emacs (if (equal ask-outcome "completed") 0 1)))
