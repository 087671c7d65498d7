import { AppError } from '../errors.ts';
import { TrackerError } from '../ports/tracker/tracker.ts';

/** Runs a tracker call for an API request; a tracker error becomes a 502 with its message. */
export async function callTracker<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    throw new AppError('upstream_failed', `the tracker refused: ${error.message}`, {
      reason: `tracker_${error.category}`,
    });
  }
}
