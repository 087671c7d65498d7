import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { askAsStranger } from './ask-as-stranger.ts';
import { until } from './until.ts';

const START_TIMEOUT_MS = 20_000;
const SECRET = 'planted-secret';
/** Serves a page and starts a child that is open to a debugger and says what nobody may hear. */
const PARENT = `
  const { createServer } = require('node:http');
  const { spawn } = require('node:child_process');
  const server = createServer((request, response) => response.end('the page'));
  server.listen(0, '127.0.0.1', () => {
    const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '-e', process.argv[1]], {
      stdio: ['pipe', 'inherit', 'ignore'],
    });
    process.stdin.resume().on('end', () => process.exit());
    console.log('page ' + server.address().port);
  });
`;
const CHILD = `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => response.end('${SECRET}'));
  server.listen(0, '0.0.0.0', () => console.log('child is ready'));
  process.stdin.resume().on('end', () => process.exit());
`;

describe.skipIf(process.platform !== 'linux')('a stranger', () => {
  let end: () => void = () => undefined;
  afterEach(() => end());

  it('finds the ports of a program and of what it started, and what they tell', async () => {
    const parent = spawn(process.execPath, ['-e', PARENT, CHILD], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    end = () => parent.stdin.end();
    let output = '';
    parent.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const look = () => (output.includes('child') ? /page (\d+)/.exec(output)?.[1] : undefined);
    const port = await until(look, (found) => found !== undefined, {
      what: 'both programs',
      timeoutMs: START_TIMEOUT_MS,
    });
    const { listeners, problems } = await askAsStranger({
      pid: parent.pid ?? 0,
      dataDir: join(tmpdir(), 'no-such-folder'),
      service: `http://127.0.0.1:${port}`,
      secrets: [SECRET],
    });
    expect(listeners).toEqual(['node at 127.0.0.1', 'node at 127.0.0.1', 'node at everywhere']);
    expect(problems).toEqual(
      expect.arrayContaining([
        'node GET /: a secret',
        `node GET /: 200 ${SECRET}`,
        expect.stringMatching(/^node GET \/json\/version: 200 \{/),
      ]),
    );
    expect(problems.filter((line) => line.includes('the page'))).toEqual([]);
  });
});
