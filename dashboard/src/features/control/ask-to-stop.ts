import type { IssueRef } from './issue-ref.ts';

/** Issues on which agents are at work, and the state they are to move to although that stops them. */
export type StopAsked = { issues: readonly IssueRef[]; to: string };

let asked: readonly StopAsked[] = [];
const listeners = new Set<() => void>();

function change(next: readonly StopAsked[]): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Has a person asked whether the run may be stopped; issues for one state are asked about at once. */
export function askToStop(issue: IssueRef, to: string): void {
  const known = asked.find((question) => question.to === to);
  if (known === undefined) return change([...asked, { issues: [issue], to }]);
  const others = known.issues.filter(({ identifier }) => identifier !== issue.identifier);
  const both = { issues: [...others, issue], to };
  change(asked.map((question) => (question === known ? both : question)));
}

/** What is asked at this moment, the oldest question first. */
export const stopsAsked = (): readonly StopAsked[] => asked;

export function onStopsAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Takes a question back: it was answered. */
export function stopAnswered(question: StopAsked): void {
  change(asked.filter((one) => one !== question));
}
