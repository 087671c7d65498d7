import type { IssueRef } from './issue-ref.ts';
import { sharedValue } from '../../ui/shared-value.ts';

/** Issues on which agents are at work, and the state they are to move to although that stops them. */
export type StopAsked = { issues: readonly IssueRef[]; to: string };

const asked = sharedValue<readonly StopAsked[]>([]);

/** Has a person asked whether the run may be stopped; issues for one state are asked about at once. */
export function askToStop(issue: IssueRef, to: string): void {
  const known = asked.get().find((question) => question.to === to);
  if (known === undefined) return asked.set([...asked.get(), { issues: [issue], to }]);
  const others = known.issues.filter(({ identifier }) => identifier !== issue.identifier);
  const both = { issues: [...others, issue], to };
  asked.set(asked.get().map((question) => (question === known ? both : question)));
}

/** What is asked at this moment, the oldest question first. */
export const useStopsAsked = asked.useValue;

/** Takes a question back: it was answered. */
export function stopAnswered(question: StopAsked): void {
  asked.set(asked.get().filter((one) => one !== question));
}
