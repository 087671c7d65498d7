import type { SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** The most parameters that a reader of a call keeps apart. */
const MAX_PARAMETERS = 4;

/**
 * Finds functions whose calls do not say what they are given: a `true` between other arguments, or more
 * arguments in a row than a reader tells apart. An object with named fields does.
 */
export function checkSignatures({ files }: SourceTree): Violation[] {
  const found: Violation[] = [];
  for (const { path, text, signatures } of files) {
    for (const { start, parameters, flag } of signatures) {
      const add = (rule: string, why: string) => {
        const line = text.slice(0, start).split('\n').length;
        found.push({ rule, path, message: `line ${line}: ${why}` });
      };
      if (flag !== null)
        add(
          'flag',
          `"${flag}" is a boolean beside other parameters: name it in an object, or make two functions`,
        );
      if (parameters > MAX_PARAMETERS)
        add(
          'parameters',
          `takes ${parameters} parameters, ${MAX_PARAMETERS} at most: gather those that belong together`,
        );
    }
  }
  return found;
}
