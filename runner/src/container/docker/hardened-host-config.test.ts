import { describe, expect, it } from 'vitest';
import { containerLabels, containerName, ownerFromLabels } from './container-labels.ts';
import { environmentList, hardenedHostConfig, shimArguments } from './hardened-host-config.ts';
import { protectionGaps } from './protection-gaps.ts';

const resources = { memoryBytes: 4096, cpus: 1.5, pids: 7, tmpfsBytes: 1024 };
const owner = { runnerId: 'r-1', attemptId: 'att.1', epoch: 3, bootId: 'b' };

describe('hardening', () => {
  it('turns every lock, and adds no swap to the memory limit', () => {
    const mounts = [{ hostPath: '/h:x', containerPath: '/c', readOnly: true }];
    const config = hardenedHostConfig({ mounts, resources, network: 'none', runtime: null });
    expect(config).toMatchObject({
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Privileged: false,
      Memory: 4096,
      MemorySwap: 4096,
      NanoCpus: 1_500_000_000,
      PidsLimit: 7,
      AutoRemove: false,
    });
    expect(config.Mounts).toMatchObject([{ Source: '/h:x', Target: '/c', ReadOnly: true }]);
    expect(config.Tmpfs?.['/tmp']).toContain('size=1024');
    expect(config.Runtime).toBeUndefined();
  });

  it('leads the shim to the socket, or to the host alias where sockets do not pass', () => {
    const proxy = { socketFolder: '/s', hostPort: 4321 };
    expect(shimArguments(proxy, 'socket')).toContain('unix:/run/switchyard/proxy.sock');
    expect(shimArguments(proxy, 'host-alias')).toContain('tcp:host.docker.internal:4321');
  });

  it('refuses names that would say something else to Docker', () => {
    expect(() => environmentList({ 'A=B': 'x' })).toThrow('environment name');
    expect(() => containerName({ ...owner, attemptId: '../x' })).toThrow('container name');
    expect(environmentList({ A: 'x=y\nz' })).toEqual(['A=x=y\nz']);
  });

  it('finds the owner again in the labels', () => {
    expect(containerName(owner)).toBe('switchyard-att.1-3');
    expect(containerName(owner, 'snapshot')).toBe('switchyard-att.1-3-snapshot');
    expect(ownerFromLabels(containerLabels(owner, 'engine'))).toEqual(owner);
    expect(ownerFromLabels({ 'some.other': 'label' })).toBeNull();
  });

  it('names the locks that a daemon lacks', () => {
    const all = { MemoryLimit: true, SwapLimit: true, PidsLimit: true, CpuCfsQuota: true };
    expect(protectionGaps({ ...all, SecurityOptions: ['name=seccomp,profile=default'] })).toEqual(
      [],
    );
    expect(protectionGaps({ ...all, SwapLimit: false, SecurityOptions: [] })).toHaveLength(2);
  });
});
