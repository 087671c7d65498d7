import type { RepositoryLoad } from './repository-load.ts';

/** Where the file system copies a checkout at once, and elsewhere. */
const FOUR_RATIO_GOAL = { warm: 0.8, cold: 1 };

const ms = (value: number): string => `${Math.round(value)} ms`;
const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed');

/** For the table. */
export function repositoryRows(load: RepositoryLoad): [what: string, value: string][] {
  const { history, hasWarmCheckout } = load;
  const goal = FOUR_RATIO_GOAL[hasWarmCheckout ? 'warm' : 'cold'];
  const size = `repos: ${load.files} files`;
  const long = `repos: ${Math.round(history.bytes / 1_000_000)} MB of history`;
  return [
    [`${size}: first mirror and clone`, ms(load.firstMs)],
    [`${size}: same issue again`, ms(load.againMs)],
    [`${size}: next issue`, ms(load.nextMs)],
    [`${size}: git worktree add`, ms(load.worktreeMs)],
    ['  ratio', load.nextRatio.toFixed(2)],
    [`${size}: 4 issues at once`, ms(load.fourMs)],
    [`${size}: 4 git worktree add at once`, ms(load.fourWorktreesMs)],
    [
      `  ratio (${hasWarmCheckout ? 'warm checkout' : 'no warm checkout'}, goal ${goal} or less: ${verdict(load.fourRatio <= goal)})`,
      load.fourRatio.toFixed(2),
    ],
    [`${long}: fetch`, ms(history.fetchMs)],
    [
      '  steps of progress (goal 10 or more: ' + verdict(history.progressSteps >= 10) + ')',
      String(history.progressSteps),
    ],
    [
      `  next issue of that repository meanwhile (goal not held back: ${verdict(history.wentOn)})`,
      ms(history.sameMs),
    ],
    ['  next issue of another repository meanwhile', ms(history.otherMs)],
  ];
}
