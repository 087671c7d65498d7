/** The used fields of the daemon's information. */
type DaemonInfo = {
  MemoryLimit?: boolean;
  SwapLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
  SecurityOptions?: readonly string[];
};

/** Restrictions that this daemon cannot apply, as sentences for the operator. */
export function protectionGaps(info: DaemonInfo): string[] {
  const gaps: string[] = [];
  if (info.MemoryLimit === false) gaps.push('the daemon cannot limit memory');
  if (info.SwapLimit === false)
    gaps.push('the daemon cannot limit swap: memory limits may be passed');
  if (info.PidsLimit === false) gaps.push('the daemon cannot limit the number of processes');
  if (info.CpuCfsQuota === false) gaps.push('the daemon cannot limit CPU');
  const options = info.SecurityOptions ?? [];
  if (!options.some((option) => option.startsWith('name=seccomp'))) {
    gaps.push('the daemon filters no system calls (seccomp)');
  }
  return gaps.map((gap) => `docker: ${gap}`);
}
