/** An account as GitHub names it beside what it wrote. */
export type Account = { login: string; type?: string | undefined };

export const UNNAMED_BOT = 'is a bot; name it in tracker.allowedBots to have it count';

/**
 * What an account is by what GitHub says of it. Bots and Apps count only where they are named: one that
 * answers what agents do would keep them at work for ever.
 */
export function judgeBot(
  { login, type }: Account,
  named: readonly string[],
): 'person' | 'named' | 'unnamed' {
  const name = login.toLowerCase();
  if (type?.toLowerCase() !== 'bot' && !name.endsWith('[bot]')) return 'person';
  return named.some((one) => one.trim().toLowerCase() === name) ? 'named' : 'unnamed';
}
