-- A typing session in a real editor: nvim --headless -u NONE -c 'luafile lsp_nvim.lua' with CLUSTERC, SPECS and OUT in the environment.
-- Prints "ok: …" for what was seen; on the first thing that is wrong says so and ends with status 1.
local bin, specs, out = vim.env.CLUSTERC, vim.env.SPECS, vim.env.OUT
local exited

local function say(text) io.stdout:write('ok: ' .. text .. '\n') end
local function fail(text)
  io.stdout:write('FAILED: ' .. text .. '\n')
  vim.cmd('cquit 1')
end
local function wait_for(what, test)
  if not vim.wait(15000, test, 5) then fail('waited in vain for ' .. what) end
end
local function keys(text)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(text, true, false, true), 'xt', false)
end

local function start()
  local id = vim.lsp.start_client({
    cmd = { bin, 'lsp', '--stdio' }, name = 'clusterc', root_dir = out, flags = { debounce_text_changes = 20 },
    on_exit = function(code, signal) exited = { code, signal } end,
  })
  if not id then fail('the server does not start') end
  wait_for('initialize', function() return vim.lsp.get_client_by_id(id) and vim.lsp.get_client_by_id(id).initialized end)
  return id
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 10000)
  for _, answer in pairs(answers or {}) do
    if answer.err then fail(method .. ': ' .. vim.inspect(answer.err)) end
    return answer.result
  end
  fail(method .. ': no answer')
end
local function here() return vim.lsp.util.make_position_params(0, 'utf-16') end
local function labels()
  local found = {}
  local result = request('textDocument/completion', here())
  for _, item in ipairs(result.items or result) do found[item.label] = item end
  return found
end
local function finding(code)
  for _, d in ipairs(vim.diagnostic.get(0)) do
    if d.code == code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code == code) then return d end
  end
end
local function find(text)       -- the cursor on the first place of a text
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if vim.fn.search('\\V' .. text, 'cW') == 0 then fail('no ' .. text .. ' in the buffer') end
end

local function session()
  local id = start()

  -- an empty file
  vim.cmd('edit ' .. out .. '/new.yaml')
  vim.lsp.buf_attach_client(0, id)
  if not labels()['clusterc'] then fail('an empty file offers no clusterc: 1') end
  say('completion in an empty file')
  vim.bo.autoindent = false
  keys('iclusterc: 1<CR>name: lab<CR>description: 😀 漢字 and more<CR>site:<CR>  regoin: iec<CR>  feeds:<CR>    A: { breaker: 32 A }<Esc>')
  wait_for('the finding of a key that does not exist', function() return finding('spec-unknown-key') end)
  local d = finding('spec-unknown-key')
  if d.lnum ~= 4 or d.col ~= 2 or d.end_col ~= 8 then fail('regoin is at 4:2-8, found at ' .. d.lnum .. ':' .. d.col .. '-' .. d.end_col) end
  say('findings while typing, in their place')

  -- the quick fix, applied by the editor
  local range = vim.lsp.util.make_given_range_params({ 5, 3 }, { 5, 3 }, 0, 'utf-16')
  range.context = { diagnostics = {} }
  local actions = request('textDocument/codeAction', range)
  if #actions ~= 1 then fail(#actions .. ' actions, one is expected') end
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  if vim.fn.getline(5) ~= '  region: iec' then fail('the fix makes "' .. vim.fn.getline(5) .. '"') end
  wait_for('the finding to go', function() return not finding('spec-unknown-key') end)
  say('quick fix')

  -- a half-written line: completion while the text is no YAML
  keys('Go  cooling: { hall: { method: <Esc>')
  vim.api.nvim_win_set_cursor(0, { vim.fn.line('$'), #vim.fn.getline('$') })
  vim.cmd('startinsert!')
  wait_for('the syntax finding', function() return #vim.diagnostic.get(0) > 0 end)
  local params = here()
  params.position.character = #vim.fn.getline('$')
  local found = {}
  for _, item in ipairs(request('textDocument/completion', params).items) do found[item.label] = item end
  if not found['room-air'] or not found['liquid'] then fail('no methods of cooling in a half-written line') end
  say('completion in a half-written line')
  keys('<Esc>')

  -- columns behind characters of two UTF-16 units, in a file whose lines end with CR LF
  vim.cmd('bwipeout!')
  vim.cmd('edit ++ff=dos ' .. out .. '/dos.yaml')
  vim.bo.fileformat = 'dos'
  vim.lsp.buf_attach_client(0, id)
  keys('iclusterc: 1<CR>name: dos<CR>accept: [ { at: "😀é😀", raeson: x } ]<CR>last: 😀<Esc>')
  wait_for('the finding behind emoji', function()
    for _, f in ipairs(vim.diagnostic.get(0)) do if f.message:find("'raeson'", 1, true) then d = f return true end end
  end)
  local column = vim.fn.getline(3):find('raeson', 1, true) - 1
  if d.lnum ~= 2 or d.col ~= column or d.end_col ~= column + 6 then fail('raeson is at byte ' .. column .. ', found at ' .. d.lnum .. ':' .. d.col .. '-' .. d.end_col) end
  say('columns behind emoji, lines with CR LF')
  vim.cmd('bwipeout!')

  -- a whole spec
  vim.cmd('edit ' .. out .. '/superpod.yaml')
  vim.lsp.buf_attach_client(0, id)
  find('altitude')
  wait_for('a hover with the value', function()
    local hover = request('textDocument/hover', here()).contents.value
    return hover:find('height above sea level', 1, true) and hover:find('`120 m`', 1, true)
  end)

  find('nvidia-qm9700')
  local part = request('textDocument/hover', here()).contents.value
  if not part:find('ports: 64', 1, true) then fail('hover on a switch says ' .. part) end      -- QM9700: 64 ports of 400 Gb/s
  say('hover: sentence, value, facts of a part')

  find('racks: compute')
  vim.cmd('normal! 8l')
  vim.lsp.buf.definition()
  wait_for('the jump to the rack group', function() return vim.fn.getline('.') == '  compute:' and vim.fn.search('^racks:$', 'bnW') == vim.fn.line('.') - 1 end)
  say('definition of a name of the spec')
  find('nvidia-dgx-h100')
  vim.lsp.buf.definition()
  wait_for('the part in a buffer', function() return vim.api.nvim_buf_get_name(0):find('servers/nvidia%-dgx%-h100%.yaml$') end)
  if not vim.bo.readonly then fail('the part can be written') end
  if not vim.fn.getline('.'):find('^id: nvidia%-dgx%-h100') then fail('the cursor stands on ' .. vim.fn.getline('.')) end
  say('definition of a catalogue part, as a file that is read-only')
  vim.cmd('bwipeout!')
  vim.cmd('buffer superpod.yaml')

  -- many edits with undo and redo, then the same text opened anew: the same outline means the same text
  math.randomseed(1)
  local commands = { 'dd', 'p', 'x', 'u', '<C-r>', 'yyP', 'J', 'ixyz: 1<Esc>', 'o  new: [ 1, 😀 ]<Esc>', '>>', 'dw', 'D', '3dd', 'P', '~', 'i😀<Esc>', 'xx' }
  for _ = 1, 300 do
    vim.api.nvim_win_set_cursor(0, { math.random(vim.fn.line('$')), 0 })
    vim.cmd('normal! ' .. math.random(1, 20) .. 'l')
    keys(commands[math.random(#commands)])
  end
  local function outline() return request('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() }) end
  vim.wait(200, function() return false end)
  local typed = outline()
  vim.cmd('silent write!')
  vim.lsp.buf_detach_client(0, id)
  vim.lsp.buf_attach_client(0, id)
  vim.wait(100, function() return false end)
  local fresh = outline()
  if not vim.deep_equal(typed, fresh) then fail('after 300 edits the server has another text') end
  if #typed < 3 then fail('the outline has ' .. #typed .. ' sections') end
  say('300 edits with undo and redo: the server has the same text')

  vim.lsp.stop_client(id)
  wait_for('the server to end', function() return exited end)
  if exited[1] ~= 0 then fail('the server ended with ' .. exited[1]) end
  say('shutdown and exit')
end

local good, why = xpcall(session, debug.traceback)
if not good then fail(why) end
vim.cmd('qall!')
