import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';

/**
 * Holds a folder against a second command, which would write the same rows. What a command that was
 * killed has left is taken over. Answers how to let go.
 */
export async function holdFolder(folder: string): Promise<() => void> {
  // A socket is let go of by the system when its process ends, however it ends.
  const path = join(folder, 'held.sock');
  for (let tries = 0; tries < 2; tries += 1) {
    const release = await listen(path);
    if (release !== null) return release;
    if (await answers(path)) break;
    rmSync(path, { force: true });
  }
  throw new CommandError(
    `it runs already on ${folder}: stop it first, or name another folder with --data-dir`,
    EXIT.failed,
  );
}

function listen(path: string): Promise<(() => void) | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(new CommandError(`cannot hold ${path}: ${error.message}`, EXIT.failed));
    });
    server.listen(path, () => {
      server.unref();
      resolve(() => void server.close());
    });
  });
}

function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).then((isHeld) => {
    socket.destroy();
    return isHeld as boolean;
  });
}
