import { sharedValue } from '../../ui/shared-value.ts';
import type { RetryRef } from './issue-ref.ts';

/** Issues that are to be retried once a person has said yes; null: nothing is asked. */
const asked = sharedValue<readonly RetryRef[] | null>(null);

/** Has a person asked first: an issue among these is completed. */
export const askToRetry = asked.set;

export const useRetryAsked = asked.useValue;
