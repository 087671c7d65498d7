import * as z from 'zod';

export const RpcId = z.union([z.string(), z.number()]);
export type RpcId = z.infer<typeof RpcId>;

/** Any JSON-RPC message, parsed permissively: additional fields are ignored. */
export const RpcMessage = z.looseObject({
  id: RpcId.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
});
