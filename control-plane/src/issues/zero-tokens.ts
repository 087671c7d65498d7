import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

export const ZERO_TOKENS: TokenUsage = {
  input: 0,
  cachedInput: 0,
  output: 0,
  reasoning: 0,
  total: 0,
};
