import { z } from 'zod';

/** A check run of a commit, with the fields that are used. */
export const CheckRun = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  html_url: z.string().nullish(),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  app: z.object({ slug: z.string().nullish() }).nullish(),
  output: z
    .object({
      title: z.string().nullish(),
      summary: z.string().nullish(),
      text: z.string().nullish(),
    })
    .nullish(),
});
export type CheckRun = z.infer<typeof CheckRun>;
/** A status of a commit, with the fields that are used. */
export const CommitStatus = z.object({
  context: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});
export type CommitStatus = z.infer<typeof CommitStatus>;
