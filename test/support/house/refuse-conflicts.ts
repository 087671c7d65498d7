import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conflictMarkers } from './conflict-markers.ts';

// A step of `npm run verify`: no file of the checkout holds what a merge left.
const root = join(import.meta.dirname, '../../..');
const listed = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  },
);
const paths = listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
for (const path of paths) {
  for (const line of conflictMarkers(readFileSync(join(root, path), 'utf8'))) {
    console.error(`${path}:${line}: a conflict marker`);
    process.exitCode = 1;
  }
}
