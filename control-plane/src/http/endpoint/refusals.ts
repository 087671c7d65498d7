import { ErrorBody } from '@switchyard/shared/api/error-body';
import { isApiPath } from '../is-api-path.ts';

/** The refusals implied by an operation's shape, with their descriptions. */
const DESCRIPTIONS = {
  400: 'The request is malformed',
  401: 'A token is missing or wrong',
  403: "Not allowed, or asked by another site's page",
  404: 'Not found',
  408: 'The body came too slowly',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'Too many requests; `Retry-After` says when to come back',
  500: 'Internal error',
  503: 'Not available now, for example because another instance leads',
} as const;

type Implied = keyof typeof DESCRIPTIONS;
/** Refusals beyond those implied by an operation's shape, or with a more precise description. */
export type Refusals = Partial<Record<Implied | 409 | 422 | 501 | 502, string>>;

const STANDBY = 'or another instance leads';

/** The properties of an operation that decide how it can be refused. */
type Shape = {
  method: string;
  path: string;
  params: boolean;
  input: boolean;
  body: boolean;
};

function impliedRefusals({ method, path, params, input, body }: Shape): Implied[] {
  if (!isApiPath(path)) return [403, 500];
  const changes = method !== 'get';
  return [
    ...(input || body ? [400 as const] : []),
    401,
    403,
    ...(params ? [404 as const] : []),
    ...(body ? [408 as const, 413 as const, 415 as const] : []),
    429,
    500,
    ...(changes ? [503 as const] : []),
  ];
}

/**
 * All refusals of an operation for the document: the implied ones, and its own with descriptions.
 */
export function refusalResponses(shape: Shape, own: Refusals): Record<string, object> {
  const implied = impliedRefusals(shape).map((status) => [
    status,
    { $ref: `#/components/responses/Error${status}` },
  ]);
  const described = Object.entries(own).map(([status, reason]) => {
    const description =
      status === '503' && shape.method !== 'get' ? `${reason}; ${STANDBY}` : reason;
    return [status, response(description, ErrorBody)];
  });
  return Object.fromEntries([...implied, ...described]);
}

/** The refusals that operations share, by the name of the shared component. */
export const SHARED_REFUSALS = Object.fromEntries(
  Object.entries(DESCRIPTIONS).map(([status, description]) => [
    `Error${status}`,
    response(description, { $ref: '#/components/schemas/Error' }),
  ]),
);

function response(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } };
}
