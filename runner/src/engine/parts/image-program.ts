import { posix } from 'node:path';
import { DEFAULT_PART, enginePart } from './engine-parts.ts';

/** Where the sandbox image keeps Node and engines. */
const IMAGE_FOLDER = '/opt/switchyard';
const IMAGE_NODE = `${IMAGE_FOLDER}/node/bin/node`;

/** Folder of an engine below the image's own: the default one has a place of its own. */
export const imageFolder = (name: string): string =>
  name === DEFAULT_PART ? 'engine' : `engines/${name}`;

/** The command that starts an engine in the sandbox image. Throws for a name that is no engine's. */
export function imageProgram(name: string): string[] {
  const part = enginePart(name);
  if (part === null) throw new Error(`there is no agent engine ${name} for the sandbox image`);
  const program = posix.join(IMAGE_FOLDER, imageFolder(part.name), part.program);
  return [...(part.nodeMajor === undefined ? [] : [IMAGE_NODE]), program, ...part.args];
}
