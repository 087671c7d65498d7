import { type FileHandle, open } from 'node:fs/promises';

/**
 * A file that takes a command's output piece by piece. `add` and `close` reject when it cannot be
 * opened or written.
 */
export class OutputFile {
  readonly #opening: Promise<FileHandle>;

  constructor(path: string) {
    this.#opening = open(path, 'w', 0o600);
    // Whoever adds or closes is told.
    this.#opening.catch(() => undefined);
  }

  async add(bytes: Uint8Array): Promise<void> {
    const file = await this.#opening;
    await file.writeFile(bytes);
  }

  async close(): Promise<void> {
    const file = await this.#opening;
    await file.close();
  }
}
