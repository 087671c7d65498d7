import { z } from 'zod';
import type { TrackerComment } from '../../../../ports/tracker/tracker.ts';
import { requestsTo, type IssueLocation } from '../issue-location.ts';

const Comment = z.object({
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
  created_at: z.iso.datetime(),
});

/** The newest comments of an issue, oldest first. Throws a GitHubError. */
export async function readComments(place: IssueLocation, limit: number): Promise<TrackerComment[]> {
  const path = `/issues/${place.number}/comments?per_page=100`;
  const rows = await requestsTo(place).all(Comment, path);
  return rows.slice(-limit).map(({ body, user, created_at }) => ({
    author: user?.login ?? 'ghost',
    body: body ?? '',
    createdAtMs: Date.parse(created_at),
  }));
}
