import { METHOD_NOT_FOUND, type ServerAnswer } from '../../json-rpc/rpc-client.ts';
import { PermissionsParams } from '../turn-params.ts';

const refuse = (message: string): ServerAnswer => ({
  error: { code: METHOD_NOT_FOUND, message },
});

/**
 * The immediate answer to an engine's request that no person answers. Approvals are given: the
 * isolation protects, not a prompt that nobody sees.
 */
export function answerServerRequest(method: string, params: unknown): ServerAnswer {
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { result: { decision: 'accept' } };
    case 'execCommandApproval':
    case 'applyPatchApproval':
      return { result: { decision: 'approved' } };
    case 'item/permissions/requestApproval': {
      const parsed = PermissionsParams.safeParse(params);
      if (!parsed.success) return refuse('no permissions named');
      return { result: { permissions: parsed.data.permissions, scope: 'turn' } };
    }
    case 'mcpServer/elicitation/request':
      return { result: { action: 'decline' } };
    default:
      return refuse(`${method} is not supported by this client`);
  }
}
