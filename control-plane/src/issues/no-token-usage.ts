import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

export const NO_TOKEN_USAGE: TokenUsage = {
  input: 0,
  cachedInput: 0,
  output: 0,
  reasoning: 0,
  total: 0,
};
