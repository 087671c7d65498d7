import { z } from 'zod';
import { utcTime } from '../text/utc-time.ts';

/** Who holds a data folder, as the holder itself wrote it down. */
export const FolderHolder = z.object({
  /** Tells one hold from another. */
  id: z.string(),
  /** For people, for example `switchyard start`. */
  command: z.string(),
  pid: z.int(),
  /** Name of its machine, or of its container. */
  host: z.string(),
  sinceMs: z.number(),
  /** Where it serves; null until it does, and for what serves nothing. */
  address: z.string().nullable(),
  /** Process that started it, keeps it running and has to be stopped in its place. */
  keeperPid: z.int().nullable(),
});
export type FolderHolder = z.infer<typeof FolderHolder>;

/** Another process holds the folder; the message says which one and what to do. */
export class FolderHeld extends Error {
  /** Null when it left no readable word about itself. */
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

/** `switchyard start (process 4711, http://127.0.0.1:4000, since 28 November at 08:15 UTC)`. */
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
