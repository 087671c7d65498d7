import type { QueryClient } from '@tanstack/react-query';
import { errorText } from '../../api/client.ts';
import { say } from '../../ui/toast.tsx';

/** What an action answers that did nothing and has said so itself. */
export const NOT_DONE = Symbol('not done');

/** Does one thing with every issue, one after the other; says what worked and what did not. */
export async function runForAll(
  client: QueryClient,
  identifiers: readonly string[],
  action: (identifier: string) => Promise<unknown>,
  done: string,
): Promise<void> {
  let succeeded = 0;
  for (const identifier of identifiers) {
    try {
      if ((await action(identifier)) !== NOT_DONE) succeeded += 1;
    } catch (error) {
      say(`${identifier}: ${errorText(error)}`, 'bad');
    }
  }
  if (succeeded > 0) {
    const [first] = identifiers;
    say(`${identifiers.length === 1 ? first : `${succeeded} issues`}: ${done}`);
  }
  await Promise.all(
    ['state', 'local-issues', 'issue', 'attempts', 'transitions'].map((area) =>
      client.invalidateQueries({ queryKey: [area] }),
    ),
  );
}
