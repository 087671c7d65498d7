import { posix } from 'node:path';
import { enginePart } from './engine-parts.ts';

/** Where the sandbox image keeps Node, and engines other than the first one. */
const IMAGE_NODE = '/opt/switchyard/node/bin/node';
const IMAGE_ENGINES = '/opt/switchyard/engines';

/** The command that starts an engine in the sandbox image. Throws for a name that is no engine's. */
export function imageProgram(name: string): string[] {
  const part = enginePart(name);
  if (part === null) throw new Error(`there is no agent engine ${name} for the sandbox image`);
  const program = posix.join(IMAGE_ENGINES, part.name, part.program);
  return [...(part.nodeMajor === undefined ? [] : [IMAGE_NODE]), program, ...part.args];
}
