import { z } from 'zod';
import { utcTime } from '../text/utc-time.ts';

/** The process that holds a data folder, as that process recorded itself. */
export const FolderHolder = z.object({
  /** Unique id of one hold. */
  id: z.string(),
  /** The holder's command for people, for example `switchyard start`. */
  command: z.string(),
  pid: z.int(),
  /** Host name of the holder's machine or container. */
  host: z.string(),
  sinceMs: z.number(),
  /** Address at which the holder serves; null before it serves, and for commands that never do. */
  address: z.string().nullable(),
  /** Process that supervises the holder and has to be stopped instead of it; null: none. */
  keeperPid: z.int().nullable(),
});
export type FolderHolder = z.infer<typeof FolderHolder>;

/** Thrown when another process holds the folder; the message names it and says what to do. */
export class FolderHeld extends Error {
  /** The holding process; null when it left no readable record. */
  readonly holder: FolderHolder | null;

  constructor(folder: string, holder: FolderHolder | null, here: { host: string }) {
    super(explain(folder, holder, here));
    this.name = 'FolderHeld';
    this.holder = holder;
  }
}

function explain(folder: string, holder: FolderHolder | null, here: { host: string }): string {
  const elsewhere = 'choose another folder with --data-dir';
  if (holder === null) return `${folder} is in use by another process: stop it, or ${elsewhere}`;
  const { pid, host, address, keeperPid } = holder;
  const isHere = host === here.host;
  const steps = [
    ...(address === null ? [] : ['open that address']),
    isHere ? `stop it with "kill ${keeperPid ?? pid}"` : 'stop it there',
  ];
  return `${folder} is in use by ${holderText(holder, here)}: ${steps.join(', ')}, or ${elsewhere}`;
}

/**
 * The holder in a sentence: `switchyard start (process 4711, http://127.0.0.1:4000, since 28
 * November at 08:15 UTC)`.
 */
export function holderText(holder: FolderHolder, here: { host: string }): string {
  const { command, pid, host, sinceMs, address } = holder;
  const facts = [
    `process ${pid}`,
    ...(host === here.host ? [] : [`on ${host}`]),
    ...(address === null ? [] : [address]),
    `since ${utcTime(sinceMs)}`,
  ];
  return `${command} (${facts.join(', ')})`;
}
