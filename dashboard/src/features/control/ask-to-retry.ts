import { sharedValue } from '../../ui/shared-value.ts';
import type { RetryRef } from './issue-ref.ts';

/** Issues whose retry awaits confirmation; null: none. */
const asked = sharedValue<readonly RetryRef[] | null>(null);

/** Asks a person before completed issues are retried. */
export const askToRetry = asked.set;

export const useRetryAsked = asked.useValue;
