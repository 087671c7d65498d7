import { EventReader } from './event-reader.ts';

/**
 * How many event streams of this machine the service has open, as it counts them itself:
 * `limits.streamsPerClient` less those that it still admits.
 */
export async function openStreams(url: string, streamsPerClient: number): Promise<number> {
  const readers: EventReader[] = [];
  try {
    while (readers.length < streamsPerClient) {
      const reader = await EventReader.open(url, {}).catch(() => null);
      if (reader === null) break;
      readers.push(reader);
    }
    return streamsPerClient - readers.length;
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
  }
}
