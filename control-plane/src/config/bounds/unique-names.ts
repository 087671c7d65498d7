import type { z } from 'zod';

/**
 * Refuses a second entry with the same name; `what` names the kind of entry in the message, such as
 * `a rule`.
 */
export function uniqueNames(what: string) {
  return (entries: readonly { name: string }[], context: z.core.$RefinementCtx): void => {
    const names = entries.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `${what} is named ${name} already`;
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    }
  };
}
