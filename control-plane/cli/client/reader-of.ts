import type { Reader } from '@switchyard/shared/reasons/act-of-person';
import { CommandError } from './command-error.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * The caller's name in the audit log; null where the service does not report it: then no action is
 * shown as "by you".
 */
export async function readerOf(client: ServiceClient): Promise<Reader> {
  try {
    return (await client.ask<{ actor: string }>('GET', '/session')).actor;
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}
