import { describe, expect, it } from 'vitest';
import { hostProgram } from '../../../runner/src/engine/parts/host-program.ts';
import { isEngineCommand } from './engine-command.ts';

const commands = ['opencode', 'claude'].flatMap((name) => {
  const command = hostProgram(name);
  return command === null ? [] : [command];
});

describe('what is taken for an agent engine', () => {
  it('is the default engine as a server, and not its commands', () => {
    expect(isEngineCommand('/opt/codex-x', ['codex', 'app-server'])).toBe(true);
    expect(isEngineCommand('/opt/codex-x', ['codex', 'sandbox', 'sh'])).toBe(false);
    expect(isEngineCommand('/bin/dash', ['sh', '-c', 'codex app-server'])).toBe(false);
  });

  it('is each engine that is installed apart, and not the shell that waits for it', () => {
    for (const command of commands) {
      const [program = ''] = command;
      expect(isEngineCommand(program, command)).toBe(true);
      expect(isEngineCommand('/bin/dash', ['sh', '-c', 'exec "$@"', ...command])).toBe(false);
      expect(isEngineCommand(program, command.slice(0, -1))).toBe(false);
    }
  });
});
