import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
type Result = { name: string; status: string; detail: string };

describe('switchyard engine check', { timeout: 240_000 }, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-agents-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function check(...args: string[]) {
    const script = join(root, 'control-plane/cli/switchyard.ts');
    const words = [script, 'engine', 'check', ...args, '--sandbox', 'process'];
    const child = spawn(process.execPath, words, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { out, err, code };
  }
  const agents = async (more = ''): Promise<string> => {
    const path = join(folder, 'agents.toml');
    const program = join(root, 'test/support/engines/talking-agent.ts');
    const lines = [
      '[talking]',
      `command = ${JSON.stringify([process.execPath, program])}`,
      'wireApis = ["chat"]',
      more,
      '[talking.env]',
      'OPENAI_BASE_URL = "{baseUrl}"',
      'KEY = "{token}"',
    ];
    await writeFile(path, lines.join('\n'));
    return path;
  };

  it('passes the engine that is always there', async () => {
    const { out, code } = await check('codex', '--json');
    const { results } = JSON.parse(out) as { results: Result[] };
    expect(results.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(8);
    expect(code).toBe(0);
  });

  it('says what an agent of the operator’s own does and does not', async () => {
    const { out, code } = await check('talking', '--agents', await agents(), '--json');
    const said = JSON.parse(out) as { results: Result[]; isolation: string };
    const by = Object.fromEntries(said.results.map(({ name, status }) => [name, status]));
    expect(by).toEqual({
      answer: 'ok',
      cancel: 'ok',
      refused: 'ok',
      resume: 'not offered',
      shell: 'failed',
      tool: 'failed',
      words: 'failed',
      adopt: 'failed',
    });
    expect(said.results[0]?.detail).toBe('version 7');
    expect(code).toBe(1);
  });

  it('prints a table', async () => {
    const { out } = await check('talking', '--agents', await agents());
    expect(out).toMatch(/^talking \(process\)/);
    expect(out).toMatch(/starts and answers a prompt +ok +\d+\.\d s +version 7/);
  });

  it('ends with 3 where there is no such agent, or its definition is wrong', async () => {
    const unknown = await check('nobody');
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining('there are codex')]);
    const wrong = await check('talking', '--agents', await agents('shell = "sh"'));
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('agent talking')]);
  });
});
