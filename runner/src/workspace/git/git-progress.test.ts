import { expect, it } from 'vitest';
import { type GitProgress, readProgress, withoutProgress } from './git-progress.ts';

const told = (...chunks: string[]): GitProgress[] => {
  const all: GitProgress[] = [];
  const read = readProgress((progress) => all.push(progress));
  for (const chunk of chunks) read(Buffer.from(chunk));
  return all;
};

it('tells each step once for each percent, however its lines are cut', () => {
  expect(
    told(
      'remote: Counting objects: 100% (9/9), done.        \rReceiving obj',
      'ects:   1% (1/100)\rReceiving objects:   1% (1/100), 1.00 MiB | 2 MiB/s\rReceiving objects:  43',
      '% (43/100), 12.00 MiB | 2.00 MiB/s\rReceiving objects: 100% (100/100), done.\n',
      'Resolving deltas: 100% (7/7), done.\n',
    ),
  ).toEqual([
    { step: 'receiving objects', percent: 1 },
    { step: 'receiving objects', percent: 43 },
    { step: 'receiving objects', percent: 100 },
    { step: 'resolving deltas', percent: 100 },
  ]);
});

it('takes nothing that the remote writes for progress', () => {
  expect(told('remote: Receiving objects:  43% (43/100)\n', 'x'.repeat(100_000), '\n')).toEqual([]);
});

it('keeps the words that say why something failed', () => {
  const words =
    'remote: Counting objects: 100% (9/9), done.\nReceiving objects:  43% (43/100)\nReceiving objects:  44% (44/100)\nFrom file:///srv/app\n * [new branch]      main -> main\n ! [rejected] x -> x\nfatal: early EOF\n';
  expect(withoutProgress(words)).toBe(' ! [rejected] x -> x\nfatal: early EOF\n');
});
