import { z } from 'zod';

/** Routes issues to a repository: by label first, then by identifier prefix. */
export const RepoRoute = z
  .strictObject({
    prefix: z.string().min(1).max(64).optional(),
    label: z.string().min(1).max(100).optional(),
    url: z.string().min(1).max(2048),
    default_branch: z.string().min(1).max(255).optional(),
  })
  .refine((route) => (route.prefix === undefined) !== (route.label === undefined), {
    message: 'give either prefix or label',
  })
  .meta({ id: 'RepoRoute' });
export type RepoRoute = z.infer<typeof RepoRoute>;

export const RepoRouteList = z.object({ routes: z.array(RepoRoute) }).meta({ id: 'RepoRouteList' });
