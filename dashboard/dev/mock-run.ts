import { DIFF } from './mock-delivery.ts';

/** One step of a made-up attempt: an event kind with its payload, and the pause before it. */
export type Step = { kind: string; payload: Record<string, unknown>; afterMs: number };

let nextItem = 0;

function item(value: Record<string, unknown>, tookMs = 900): Step[] {
  const itemId = `item-${nextItem++}`;
  const started = { ...value };
  delete started['output'];
  delete started['exitCode'];
  return [
    { kind: 'item', payload: { state: 'started', itemId, item: started }, afterMs: 300 },
    { kind: 'item', payload: { state: 'ended', itemId, item: value }, afterMs: tookMs },
  ];
}

const command = (line: string, exitCode: number, output: string, durationMs = 240) =>
  item(
    {
      type: 'command',
      command: line,
      cwd: '/workspace',
      status: exitCode === 0 ? 'completed' : 'failed',
      exitCode,
      output,
      durationMs,
    },
    Math.min(durationMs, 2_500),
  );

const turn = (state: 'started' | 'ended', number: number, extra: object = {}): Step => ({
  kind: 'turn',
  payload: { state, turnId: `turn-${number}`, number, ...extra },
  afterMs: 400,
});

const usage = (total: number): Step => ({
  kind: 'usage',
  payload: { totals: { input: total, cachedInput: 0, output: 0, reasoning: 0, total } },
  afterMs: 50,
});

const FAILING = `\u001b[31m✖ hours and minutes add up\u001b[0m (2.1 ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  1800000 !== 5400000

      at TestContext.<anonymous> (file:///workspace/test/duration.test.js:6:10)
ℹ tests 41
ℹ pass 40
ℹ fail 1`;

/** The beginning of a run as it would be stored already when the page is opened. */
export function opening(): Step[] {
  return [
    { kind: 'phase', payload: { phase: 'leased' }, afterMs: 0 },
    { kind: 'phase', payload: { phase: 'workspace' }, afterMs: 200 },
    {
      kind: 'workspace',
      payload: {
        key: 'SY-12',
        path: '/w',
        branch: 'switchyard/sy-12',
        baseBranch: 'main',
        baseCommit: '4c1d9e0fa77b2',
        created: false,
        durationMs: 213,
      },
      afterMs: 200,
    },
    { kind: 'log', payload: { source: 'hook', text: 'after_create: npm ci' }, afterMs: 100 },
    { kind: 'log', payload: { source: 'hook', text: 'added 212 packages in 3s' }, afterMs: 3_000 },
    { kind: 'phase', payload: { phase: 'starting' }, afterMs: 50 },
    {
      kind: 'container',
      payload: { state: 'started', containerId: '9f8e7d6c5b4a3210', isolation: 'docker' },
      afterMs: 200,
    },
    {
      kind: 'thread',
      payload: { threadId: 't', resumed: true, engineVersion: '0.169.0' },
      afterMs: 200,
    },
    { kind: 'phase', payload: { phase: 'streaming' }, afterMs: 50 },
    turn('started', 1),
    ...item(
      {
        type: 'user_message',
        text: 'You are working on SY-12: parseDuration loses the hours when minutes follow.\n\nRead the issue, make the change, run the tests.',
      },
      50,
    ),
    ...item({ type: 'reasoning', text: '**Looking for the parser first**' }, 2_000),
    ...command(
      'rg -n "parseDuration" --type js',
      0,
      'src/duration.js:4:export function parseDuration(text) {\nsrc/importer.js:18:  const waitMs = parseDuration(row.wait);\ntest/duration.test.js:6:  assert.equal(parseDuration("1h30m"), 5_400_000);',
    ),
    ...command(
      'sed -n 1,40p src/duration.js',
      0,
      'const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000 };',
    ),
    ...command('npm test', 1, FAILING, 2_310),
    ...item(
      {
        type: 'message',
        text: 'The expression reads both groups, but only the minutes are used: match[1] is never added. I will read the parts one by one, so that seconds and blanks work too.',
      },
      3_000,
    ),
    ...item(
      {
        type: 'file_change',
        status: 'completed',
        changes: [
          {
            path: 'src/duration.js',
            kind: 'update',
            diff: DIFF.slice(DIFF.indexOf('@@'), DIFF.indexOf('diff --git a/test')),
          },
        ],
      },
      300,
    ),
    usage(38_400),
    turn('ended', 1, { status: 'completed' }),
    {
      kind: 'notice',
      payload: {
        level: 'warning',
        message: 'The provider answered 429; the engine waits 2 s and tries again.',
      },
      afterMs: 400,
    },
    turn('started', 2),
    ...command('npm test', 0, 'ℹ tests 41\nℹ pass 41\nℹ fail 0', 2_280),
    ...item(
      {
        type: 'tool_call',
        tool: 'docs.search',
        status: 'completed',
        arguments: { query: 'ISO 8601 duration' },
        output: '3 results',
        durationMs: 420,
      },
      400,
    ),
    usage(52_100),
  ];
}

/** What goes on happening while somebody watches. */
export function continuation(round: number): Step[] {
  return [
    ...item(
      { type: 'reasoning', text: 'Checking the callers for blanks between the parts' },
      1_500,
    ),
    ...command(
      `node --test --test-name-pattern "blank ${round}"`,
      round % 4 === 3 ? 1 : 0,
      round % 4 === 3 ? FAILING : 'ℹ pass 3',
      800,
    ),
    ...item(
      { type: 'message', text: `Case ${round + 1} of the importer agrees with the new parser.` },
      900,
    ),
    usage(52_100 + round * 3_700),
  ];
}
