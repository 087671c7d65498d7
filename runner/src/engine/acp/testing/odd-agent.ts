import { createInterface } from 'node:readline';

/**
 * Stands in for an agent of the Agent Client Protocol where a real one cannot be made to misbehave.
 * What it does at a prompt stands in the prompt's text; at its start, in its first argument.
 */
type Message = {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
};

const SESSION = 'session-1';
const MEBIBYTE = 1024 * 1024;
const start = process.argv[2] ?? '';

function print(message: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function update(sessionUpdate: string, fields: Record<string, unknown>, sessionId = SESSION): void {
  print({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } });
}

function say(text: string): void {
  update('agent_message_chunk', { content: { type: 'text', text } });
}

const stop = (id: Message['id'], stopReason: string): void => print({ id, result: { stopReason } });

const form = {
  sessionId: SESSION,
  mode: 'form',
  message: 'Which colour?',
  requestedSchema: {
    type: 'object',
    properties: {
      colour: {
        type: 'string',
        title: 'Colour',
        oneOf: [
          { const: 'b', title: 'Blue', description: 'As elsewhere' },
          { const: 'g', title: 'Green' },
        ],
      },
      sure: { type: 'boolean', title: 'Sure' },
      count: { type: 'integer', title: 'How many' },
      parts: { type: 'array', items: { enum: ['top', 'bottom'] } },
    },
  },
};
const options = [
  { optionId: 'never', kind: 'reject_once', name: 'No' },
  { optionId: 'always', kind: 'allow_always', name: 'Always' },
  { optionId: 'sure', kind: 'allow_once', name: 'Yes' },
];

let turn: Message['id'];
let cancelled = false;
const answers: Message[] = [];

/** What it does with a prompt of this text. */
const ODDITIES: Record<string, (id: Message['id']) => void> = {
  plain: (id) => {
    say('Plain.');
    stop(id, 'end_turn');
  },
  garbage: (id) => {
    process.stdout.write('panic: oh no\n[1,2,3]\n\n{"jsonrpc":"2.0","id":null}\n');
    process.stdout.write(`${'x'.repeat(33 * MEBIBYTE)}\n`);
    update('agent_message_chunk', { content: 'no block' });
    update('something_new', { of: 'a later version' });
    say(`head ${'y'.repeat(MEBIBYTE)} tail`);
    stop(id, 'end_turn');
  },
  orphans: (id) => {
    const content = [{ type: 'content', content: { type: 'text', text: 'three files' } }];
    update('tool_call_update', { toolCallId: 'o1', status: 'completed', kind: 'search', content });
    update('tool_call_update', { toolCallId: 'o1', status: 'in_progress', title: 'late' });
    update('tool_call', {
      toolCallId: 'o2',
      title: 'sleep',
      kind: 'execute',
      status: 'in_progress',
    });
    stop(id, 'end_turn');
  },
  'wrong ids': (id) => {
    stop('no-such-id', 'end_turn');
    stop(987_654, 'refusal');
    update(
      'agent_message_chunk',
      { content: { type: 'text', text: 'foreign' } },
      'another-session',
    );
    say('Ours.');
    stop(id, 'end_turn');
  },
  twice: (id) => {
    say('Once.');
    stop(id, 'end_turn');
    stop(id, 'refusal');
    print({ id, error: { code: -32_603, message: 'no, failed' } });
    say('SWITCHYARD_STATUS: DONE');
  },
  lie: (id) => stop(id, 'all_is_well'),
  nothing: (id) => print({ id, result: {} }),
  refusal: (id) => stop(id, 'refusal'),
  tokens: (id) => stop(id, 'max_tokens'),
  silent: () => undefined,
  permission: () => {
    const toolCall = {
      toolCallId: 'p1',
      title: 'rm',
      kind: 'execute',
      rawInput: { command: 'rm x' },
    };
    print({
      id: 'p',
      method: 'session/request_permission',
      params: { sessionId: SESSION, toolCall, options },
    });
    print({
      id: 'f',
      method: 'fs/read_text_file',
      params: { sessionId: SESSION, path: '/etc/passwd' },
    });
    const foreign = { sessionId: 'another-session', toolCall, options };
    print({ id: 'q', method: 'session/request_permission', params: foreign });
  },
  question: () => print({ id: 'e', method: 'elicitation/create', params: form }),
};

function prompted(id: Message['id'], text: string): void {
  turn = id;
  cancelled = false;
  const failure = /^fail (\{.*\})$/.exec(text)?.[1];
  if (failure !== undefined) return print({ id, error: JSON.parse(failure) as unknown });
  (ODDITIES[text] ?? ODDITIES['plain'])?.(id);
}

/** What it was answered becomes its last words. */
function answered(message: Message): void {
  answers.push(message);
  const waitsFor = message.id === 'e' || cancelled ? 1 : 3;
  if (answers.length < waitsFor) return;
  say(JSON.stringify(answers.splice(0).map(({ id, result, error }) => ({ id, result, error }))));
  if (!cancelled) stop(turn, 'end_turn');
}

function opened(id: Message['id'], method: string): void {
  if (method === 'session/resume' && start === 'forgets') {
    return print({ id, error: { code: -32_002, message: 'Resource not found' } });
  }
  // What an earlier turn said is repeated.
  say('SWITCHYARD_STATUS: DONE');
  const values = [{ value: 'p/small', name: 'Small' }];
  const model = { id: 'model', type: 'select', currentValue: 'p/small', options: values };
  print({ id, result: { sessionId: SESSION, configOptions: [model, 'garbage'] } });
}

function received(message: Message): void {
  const { id, method, params = {} } = message;
  if (method === undefined) return answered(message);
  if (method === 'initialize' && start !== 'mute') {
    const protocolVersion = start === 'future' ? 7 : 1;
    print({ id, result: { protocolVersion, agentInfo: { name: 'odd', version: '9.9.9' } } });
  } else if (method === 'session/cancel') {
    cancelled = true;
    if (start === 'liar') stop(turn, 'max_turn_requests');
    else if (start !== 'deaf') stop(turn, 'cancelled');
  } else if (method.startsWith('session/') && method !== 'session/prompt') opened(id, method);
  else if (method === 'session/prompt') {
    const [block] = params['prompt'] as { text: string }[];
    prompted(id, block?.text ?? '');
  }
}

if (start === 'endless') {
  const piece = Buffer.alloc(MEBIBYTE, 'z');
  let left = 300;
  const flood = (): void => {
    while (left > 0 && process.stdout.write(piece)) left -= 1;
    if (left > 0) process.stdout.once('drain', flood);
  };
  flood();
}
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() !== '') received(JSON.parse(line) as Message);
});
