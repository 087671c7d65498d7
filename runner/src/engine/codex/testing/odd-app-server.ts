import { createInterface } from 'node:readline';

/** Stands in for an operator's engine where the real one cannot be made to misbehave. */
type Message = { id?: number | string; method?: string; params?: { threadId?: string } };
type Answer = { result: unknown } | { error: { code: number; message: string } };

const mode = process.argv[2] ?? '';

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const refusal = (message: string): Answer => ({ error: { code: -32600, message } });

function answerOf({ method, params }: Message): Answer | null {
  if (method === 'initialize') {
    if (mode === 'silent') return null;
    return { result: { userAgent: 'switchyard/9.9.9 (test)' } };
  }
  if (mode === 'deaf') return null;
  if (mode === 'dies') process.exit(7);
  if (mode === 'old') {
    return refusal(
      `Invalid request: unknown variant \`${method}\`, expected one of \`initialize\``,
    );
  }
  if (mode === 'strict') return refusal(`${method} requires experimentalApi capability`);
  if (mode === 'fails') return { error: { code: -32603, message: 'the disk is on fire' } };
  if (mode === 'strange') return { result: 'not an object' };
  if (mode === 'wordy')
    return { result: { account: null, texts: ['y'.repeat(3_000_000), 'short'] } };
  if (mode === 'endless') return { result: { account: null, list: Array(400_000).fill('abc') } };
  return { result: { account: null, pid: process.pid, asked: params?.threadId ?? null } };
}

function flood(): void {
  while (process.stdout.write(`${'not json '.repeat(50)}\n`));
  process.stdout.once('drain', flood);
}

if (mode === 'exits') {
  process.stderr.write('\u001b[31mcannot open the configuration\u001b[0m\n');
  process.exit(3);
}
if (mode === 'garbage') flood();
let asked: Message | null = null;
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() === '') return;
  const message = JSON.parse(line) as Message & { error?: unknown; result?: unknown };
  if (message.method === undefined && asked !== null) {
    print({ id: asked.id, result: { account: null, reply: message } });
    return;
  }
  if (message.id === undefined) return;
  if (mode === 'asks' && message.method !== 'initialize') {
    asked = message;
    print({
      id: 'q-1',
      method: 'item/commandExecution/requestApproval',
      params: { command: 'id' },
    });
    return;
  }
  const answer = answerOf(message);
  if (answer !== null) print({ id: message.id, ...answer });
});
