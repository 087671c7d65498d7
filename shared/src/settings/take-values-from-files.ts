import { messageOf } from '../message-of.ts';

const SUFFIX = '_FILE';
const OWN = /^(SERVICE|SWITCHYARD)_/;

/**
 * An environment variable is invalid; the message names it and says what to do, and has no secret.
 */
export class BadVariable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BadVariable';
  }
}

/**
 * Replaces every `NAME_FILE` variable by `NAME`, whose value is that file's content without its
 * last line break: containers' secrets and services' credentials are provided as files. Only names
 * that begin with `SERVICE_` or `SWITCHYARD_` count.
 *
 * @param env the process's variables; changed in place, so that child processes see the values
 * @param read returns a file's content, and throws when it cannot be read
 * @throws BadVariable when both forms are set, or when a file is empty or cannot be read
 */
export function takeValuesFromFiles(
  env: Record<string, string | undefined>,
  read: (path: string) => string,
): void {
  for (const [name, path] of Object.entries(env)) {
    if (path === undefined || path === '' || !OWN.test(name) || !name.endsWith(SUFFIX)) continue;
    const target = name.slice(0, -SUFFIX.length);
    if ((env[target] ?? '') !== '') {
      throw new BadVariable(`${target} and ${name} are both set: keep one of them`);
    }
    env[target] = contentOf(name, path, read);
    delete env[name];
  }
}

function contentOf(name: string, path: string, read: (path: string) => string): string {
  let content: string;
  try {
    content = read(path);
  } catch (error) {
    const why = messageOf(error);
    throw new BadVariable(
      `${name}: ${why}. Correct the path, or let this user read the file`,
      error,
    );
  }
  const text = content.replace(/\r?\n$/, '');
  if (text.trim() === '') throw new BadVariable(`${name}: ${path} is empty: write the value to it`);
  return text;
}
