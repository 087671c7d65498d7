import { describe, expect, it } from 'vitest';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, offer, payloads } = rig;
const declared = JSON.stringify({ mcpServers: { ours: { command: 'node', args: ['server.js'] } } });

describe('MCP servers of a repository', { timeout: 60_000 }, () => {
  const given = () => rig.world.engine.sessions[0]?.open.repositoryServers;
  const notices = () => payloads('notice').map(({ message }) => String(message));

  it('are not there unless a person allowed them', async () => {
    await rig.world.fixture.commitOnRemote('main', { '.mcp.json': declared });
    offer();
    await finished();
    expect(given()).toEqual([]);
    expect(rig.world.engine.launches[0]?.repositoryServers).toBeUndefined();
    expect(notices()).toEqual([]);
  });

  it('reach the engine where they are allowed', async () => {
    await rig.world.fixture.commitOnRemote('main', { '.mcp.json': declared });
    rig.world.containers.isolation = 'docker';
    offer({ repositoryServers: true });
    await finished();
    const servers = [{ name: 'ours', command: 'node', args: ['server.js'], env: {} }];
    expect(given()).toEqual(servers);
    expect(rig.world.engine.launches[0]?.repositoryServers).toEqual(servers);
  });

  it('do not run where nothing contains them, and people are told', async () => {
    await rig.world.fixture.commitOnRemote('main', { '.mcp.json': declared });
    offer({ repositoryServers: true });
    await finished();
    expect(given()).toEqual([]);
    expect(notices().join()).toContain('in containers only');
  });

  it('are left out with the reason where the file is broken', async () => {
    await rig.world.fixture.commitOnRemote('main', { '.mcp.json': '{' });
    rig.world.containers.isolation = 'docker';
    offer({ repositoryServers: true });
    await finished();
    expect(given()).toEqual([]);
    expect(notices().join()).toContain('not JSON');
  });
});
