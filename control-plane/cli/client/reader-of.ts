import type { Reader } from '@switchyard/shared/reasons/act-of-person';
import { CommandError } from './command-error.ts';
import type { ServiceClient } from './service-client.ts';

/** Who asks, by the name in the audit; null where the service does not say: then nothing is "by you". */
export async function readerOf(client: ServiceClient): Promise<Reader> {
  try {
    return (await client.ask<{ actor: string }>('GET', '/session')).actor;
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}
