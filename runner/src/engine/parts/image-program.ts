import { posix } from 'node:path';
import { DEFAULT_PART, enginePart } from './engine-parts.ts';

/** Folder of Node and engines in the sandbox image. */
const IMAGE_FOLDER = '/opt/switchyard';
const IMAGE_NODE = `${IMAGE_FOLDER}/node/bin/node`;

/** An engine's folder in the image; the default engine has a special one. */
export const imageFolder = (name: string): string =>
  name === DEFAULT_PART ? 'engine' : `engines/${name}`;

/** The command that starts an engine in the sandbox image. Throws for an unknown name. */
export function imageProgram(name: string): string[] {
  const part = enginePart(name);
  if (part === null) throw new Error(`there is no agent engine ${name} for the sandbox image`);
  const program = posix.join(IMAGE_FOLDER, imageFolder(part.name), part.program);
  return [...(part.nodeMajor === undefined ? [] : [IMAGE_NODE]), program, ...part.args];
}
