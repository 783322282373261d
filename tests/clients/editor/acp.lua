-- Speaks the Agent Client Protocol with Neovim's own jobs, as its plugins do.
--     nvim --clean --headless --cmd 'luafile acp.lua' -- SCORELCTL HOME DIRECTORY
local scorelctl, home, directory = unpack(vim.v.argv, #vim.v.argv - 2)
local answers, calls, rest, said, asked = {}, 0, "", "", 0
local job

local function send(message)
  message.jsonrpc = "2.0"
  vim.fn.chansend(job, vim.json.encode(message) .. "\n")
end

local function receive(message)
  if message.method == "session/request_permission" then
    asked = asked + 1
    send({ id = message.id, result = { outcome = { outcome = "selected", optionId = "once" } } })
  elseif message.method == "session/update" then
    local update = message.params.update
    if update.sessionUpdate == "agent_message_chunk" then said = said .. update.content.text end
  elseif message.id then
    answers[message.id] = message
  end
end

job = vim.fn.jobstart({ scorelctl, "acp" }, {
  env = { SCOREL_HOME = home },
  on_stdout = function(_, data)
    data[1] = rest .. data[1]
    rest = table.remove(data)
    for _, line in ipairs(data) do receive(vim.json.decode(line)) end
  end,
})

local function call(method, params)
  calls = calls + 1
  local id = calls
  send({ id = id, method = method, params = params })
  assert(vim.wait(60000, function() return answers[id] end, 10), method .. " was not answered")
  assert(not answers[id].error, vim.inspect(answers[id].error))
  return answers[id].result
end

local ok, problem = pcall(function()
  call("initialize", { protocolVersion = 1, clientCapabilities = vim.empty_dict() })
  local session = call("session/new", { cwd = directory, mcpServers = {} }).sessionId
  local prompt = { { type = "text", text = "What is here?" } }
  local ended = call("session/prompt", { sessionId = session, prompt = prompt })
  assert(ended.stopReason == "end_turn" and asked > 0 and said:find(session, 1, true))
end)
print(ok and "acp.lua: a conversation\n" or tostring(problem) .. "\n")
vim.cmd(ok and "quit!" or "cquit!")
