import { describe, expect, it } from 'vitest';
import { readServerDeclarations } from './read-server-declarations.ts';

describe('MCP servers that a repository declares', () => {
  it('are programs and addresses, with variables left as they are', () => {
    const text = JSON.stringify({
      mcpServers: {
        files: { type: 'stdio', command: 'npx', args: ['files', '$HOME'], env: { A: '${B}' } },
        docs: { type: 'http', url: 'https://docs.example/mcp' },
      },
    });
    expect(readServerDeclarations(text)).toEqual([
      { name: 'files', command: 'npx', args: ['files', '$HOME'], env: { A: '${B}' } },
      { name: 'docs', url: 'https://docs.example/mcp', headers: {} },
    ]);
    expect(readServerDeclarations('{}')).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 'not JSON'],
    ['our name', '{"mcpServers":{"switchyard":{"command":"x"}}}', 'is taken'],
    ['neither', '{"mcpServers":{"a":{"args":["x"]}}}', 'neither a command nor a url'],
    ['a file address', '{"mcpServers":{"a":{"url":"file:///etc/passwd"}}}', 'neither'],
    ['a name that breaks out', '{"mcpServers":{"a]\\n[x":{"command":"x"}}}', 'usable'],
    ['a list', '[]', 'usable'],
  ])('are refused as a whole with %s', (_, text, reason) => {
    expect(() => readServerDeclarations(text)).toThrow(reason);
  });
});
