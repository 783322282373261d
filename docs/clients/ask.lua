-- Asks an agent and prints its answer, across restarts of the daemon. For Neovim 0.7 and newer:
--     nvim --clean --headless --cmd 'luafile ask.lua' -- SOCKET DIRECTORY MESSAGE
local uv, json = vim.loop, vim.json
math.randomseed(uv.hrtime() % 2 ^ 31)
local socket_path, directory, text = unpack(vim.v.argv, #vim.v.argv - 2)
local pipe, calls, answers = nil, 0, {}
local session_id, outcome, questions, asked = nil, nil, {}, {}
local anchors, caught_up = {}, false
local printed = {} -- how much of each block of text is on the screen

-- The id of this installation: made once, and kept.
local id_file = vim.fn.stdpath("data") .. "/scorel-ask-lua"
if vim.fn.filereadable(id_file) == 0 then
  local digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
  local ulid = ("0"):rep(25):gsub("0", function() return digits:sub(math.random(32)):sub(1, 1) end)
  vim.fn.mkdir(vim.fn.stdpath("data"), "p")
  vim.fn.writefile({ "cli_0" .. ulid }, id_file)
end

local function disconnect()
  if pipe then pipe:close() end
  pipe = nil
end

-- Prints what is not on the screen yet of a message's text.
local function show(event_id, blocks)
  for index, block in ipairs(blocks) do
    if block.type == "text" then
      local name = event_id .. index - 1
      io.write(block.text:sub((printed[name] or 0) + 1))
      printed[name] = #block.text
    end
  end
end

-- Takes an event or a marker.
local function apply(event)
  if event.type == "sync_start" and event.mode ~= "stream_resume" then
    caught_up, anchors.streamLastSeq = false, nil
    if event.mode == "full_reload" then anchors, printed = {}, {} end
  elseif event.type == "in_flight" then
    for _, message in ipairs(event.inFlight.messages) do show(message.eventId, message.blocks) end
    questions = {}
    for _, question in ipairs(event.inFlight.permissions) do questions[question.requestId] = question end
  elseif event.type == "sync_end" and not caught_up then
    caught_up, anchors.streamLastSeq = true, event.throughSeq
  elseif event.type == "text_delta" then
    local name = event.eventId .. event.blockIndex
    printed[name] = (printed[name] or 0) + #event.delta
    io.write(event.delta)
  elseif event.type == "message" and event.message.role == "assistant" then show(event.id, event.message.content)
  elseif event.type == "permission_request" then questions[event.requestId] = event
  elseif event.type == "permission_decision" then questions[event.requestId] = nil
  elseif event.type == "turn_outcome" then outcome = event.reason
  end
  if event.prev then
    if event.prev ~= (anchors.persistentLastSeq or 0) then return disconnect() end -- an event is missing
    anchors.persistentLastSeq, anchors.persistentLastId = event.seq, event.id
  end
  if event.seq and caught_up then anchors.streamLastSeq = event.seq end
end

-- Waits, while callbacks run.
local function wait_for(condition) vim.wait(2 ^ 31 - 1, condition, 10) end

local function call(method, params)
  calls = calls + 1
  local id = calls
  pipe:write(json.encode({ jsonrpc = "2.0", id = id, method = method, params = params }) .. "\n")
  wait_for(function() return answers[id] or not pipe end)
  return answers[id]
end

-- Connects, as soon as a daemon listens, and subscribes to the session.
local function connect()
  local rest, new, listens = "", uv.new_pipe(false), nil
  new:connect(socket_path, function(problem) listens = not problem end)
  wait_for(function() return listens ~= nil end)
  if not listens then vim.wait(100) return end
  pipe = new
  pipe:read_start(function(_, data)
    if not data then return disconnect() end
    rest = rest .. data
    local line, message
    while pipe and rest:find("\n") do
      line, rest = rest:match("([^\n]*)\n(.*)")
      message = json.decode(line)
      if message.method == "event" then apply(message.params.result) else answers[message.id] = message end
    end
  end)
  local hello = call("hello", { clientId = vim.fn.readfile(id_file)[1], protocol = { min = 1, max = 1 } })
  local params = vim.tbl_extend("error", { sessionId = session_id }, anchors)
  if hello and session_id then call("subscribeEvents", params) end
end

-- Calls until there is an answer. However often that is, the command is applied once.
local function command(method, params)
  params.commandId = "ask-" .. uv.hrtime()
  local answer
  repeat answer = pipe and call(method, params) or connect() until answer
  return answer.result or error(answer.error.message)
end

local project = command("registerProject", { workDir = vim.fn.fnamemodify(directory, ":p") }).project
session_id = command("createSession", { projectId = project.projectId }).sessionId
disconnect() -- the next connection subscribes
command("sendMessage", { sessionId = session_id, content = text })
while not outcome do
  local request_id, question = next(questions)
  if question then questions[request_id] = nil end
  if question and not asked[request_id] then
    asked[request_id] = true
    print(("\n%s asks: %s\n%s"):format(question.toolName, question.reason, json.encode(question.input)))
    local decision = io.read() == "y" and "once" or "deny"
    command("respondPermission", { sessionId = session_id, requestId = request_id, decision = decision })
  elseif pipe then wait_for(function() return outcome or next(questions) or not pipe end)
  else connect() end
end
vim.cmd(outcome == "completed" and "cquit 0" or "cquit 1")
