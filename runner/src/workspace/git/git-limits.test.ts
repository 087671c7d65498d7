import { describe, expect, it } from 'vitest';
import { limitReached } from './git-limits.ts';

const LIMITS = { memoryBytes: 2 ** 31, cpuSeconds: 60, fileBytes: 2 ** 30 };
const reached = (stderr: string, signal: NodeJS.Signals | null = null, exitCode = 128) =>
  limitReached({ exitCode: signal === null ? exitCode : null, signal, stderr }, LIMITS);

describe('a limit that ended git', () => {
  it.each([
    ['fatal: Out of memory, malloc failed (tried to allocate 3000000000 bytes)', '2048 MiB of mem'],
    ['fatal: inflateInit: out of memory (no message)', '2048 MiB of memory'],
    ['fatal: mmap failed: Cannot allocate memory', '2048 MiB of memory'],
    ['fatal: write error: File too large', 'a file larger than 1024 MiB'],
    ['error: index-pack died of signal 24\nfatal: fetch failed', '60 s of processor time'],
    ['error: index-pack died of signal 11', 'nested too deeply'],
  ])('is told by its words: %s', (stderr, words) => {
    expect(reached(stderr)).toContain(words);
  });

  it('is told by its signal', () => {
    expect(reached('', 'SIGXCPU')).toContain('60 s of processor time');
    expect(reached('', 'SIGSEGV')).toContain('nested too deeply');
    expect(reached('', 'SIGTERM')).toBeNull();
  });

  it('is none when git succeeded, failed otherwise or a remote says so', () => {
    expect(reached('warning: out of memory', null, 0)).toBeNull();
    expect(reached('fatal: not a git repository')).toBeNull();
    expect(reached('remote: fatal: out of memory\nfatal: the remote end hung up')).toBeNull();
  });
});
