import { useMutation, useQuery } from '@tanstack/react-query';
import { Icon } from '../../ui/marks/icon.tsx';
import { isWebAddress } from '../../ui/is-web-address.ts';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { showErrorToast } from '../../ui/overlays/toasts.tsx';
import { loginToMcp, mcpQuery, reloadMcp, type RunnerChoice } from './queries.ts';
import { Button } from '../../ui/button.tsx';

/** Servers that provide further tools to the engine. */
export function McpPanel({ runner }: { runner: RunnerChoice }) {
  const servers = useQuery(mcpQuery(runner));
  return (
    <>
      <QueryView query={servers}>
        {(list) =>
          list.data.length === 0 ? (
            <EmptyState icon="tool" title="No MCP servers">
              <p>MCP servers in the engine's configuration on the runner appear here.</p>
            </EmptyState>
          ) : (
            <ul class="rows panel">
              {list.data.map((server) => (
                <ServerRow key={server.name} server={server} runner={runner} />
              ))}
            </ul>
          )
        }
      </QueryView>
      <p>
        <ActionButton
          icon="retry"
          action={() => reloadMcp(runner)}
          done="MCP servers reloaded."
          stale={[['engine', 'mcp']]}
        >
          Reload the configuration
        </ActionButton>
      </p>
    </>
  );
}

type Server = { name: string } & Record<string, unknown>;

function ServerRow({ server, runner }: { server: Server; runner: RunnerChoice }) {
  const login = useMutation({
    mutationFn: () => loginToMcp(server.name, runner),
    onError: showErrorToast,
  });
  const tools = server['tools'];
  const count = typeof tools === 'object' && tools !== null ? Object.keys(tools).length : undefined;
  const auth = server['authStatus'];
  const url = login.data?.authorizationUrl;
  return (
    <li>
      <Icon name="tool" />
      <div class="grow wrap">
        <p>
          <strong>{server.name}</strong>{' '}
          {typeof auth === 'string' && <span class="tag">{auth}</span>}
        </p>
        {count !== undefined && <p class="quiet">{count} tools</p>}
        {url !== undefined && isWebAddress(url) && (
          <p>
            <a href={url} target="_blank" rel="noreferrer">
              Continue to sign in
            </a>
          </p>
        )}
      </div>
      <Button
        small
        aria-label={`Sign in to ${server.name}`}
        disabled={login.isPending}
        onClick={() => login.mutate()}
      >
        Sign in
      </Button>
    </li>
  );
}
