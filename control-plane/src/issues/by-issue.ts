import { z } from '@hono/zod-openapi';
import { IssueIdentifier } from '@switchyard/shared/ids';

/** Path parameters of a route that addresses one issue. */
export const byIssue = z.object({ id: IssueIdentifier });
