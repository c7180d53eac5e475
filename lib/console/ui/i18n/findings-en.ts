/** The doctor's findings by the server's codes: the problem, its consequence (`.then`), and its cure (`.cure`). */
export const findingsEn = {
  'finding.hidden-job': 'These credentials may not read the job: {fault}',
  'finding.hidden-job.then': 'It cannot be examined, operated or run with them.',
  'finding.hidden-job.cure':
    'Use the credentials that the job was created with, or give these the right to read its nodes.',
  'finding.no-configuration': 'The job has no stored settings.',
  'finding.no-configuration.then': 'Nothing of it runs, and other tools leave it out.',
  'finding.no-configuration.cure':
    'Restart an application that has the job, which then stores its own settings, or remove the rest of it.',
  'finding.unreadable-configuration': 'The stored settings cannot be used: {fault}',
  'finding.unreadable-configuration.then': 'Nothing of this job runs, and its applications cannot start it.',
  'finding.unreadable-configuration.cure':
    'Store valid settings, or delete the node config of the job and restart an instance, which then stores its own.',
  'finding.no-instance': 'No instance of the job lives.',
  'finding.no-instance.then': 'Nothing of it runs.',
  'finding.no-instance.cure': 'Start an application that has the job. If there is none any more, remove the job.',
  'finding.servers-disabled': 'All servers with instances of the job are disabled: {servers}.',
  'finding.servers-disabled.then': 'Nothing of it runs until one of them is enabled.',
  'finding.servers-disabled.cure': 'Enable the job.',
  'finding.dead-leader': 'The leader {leader} is no living instance, and a session keeps its node.',
  'finding.dead-leader.then': 'No instance leads, so no items are assigned.',
  'finding.dead-leader.cure':
    'End the process of that session, or delete the node leader/election/instance of the job.',
  'finding.dead-leader.persistent':
    'The leader {leader} is named by a node without a session, as after a copy or a restored backup.',
  'finding.dead-leader.persistent.then': 'When that instance is gone, no instance leads, and no items are assigned.',
  'finding.dead-leader.persistent.cure': 'Delete that node, as elasticjob doctor --fix does.',
  'finding.persistent-node': '{path} has no session, as after a copy or a restored backup.',
  'finding.persistent-node.then':
    'It counts as a living instance: items are assigned to it and never run, or crashed runs are not taken over.',
  'finding.persistent-node.cure': 'Delete it, as elasticjob doctor --fix does.',
  'finding.unassigned': 'The items wait for the leader {leader} to assign them.',
  'finding.unassigned.then': 'No item begins before they are assigned.',
  'finding.unassigned.cure':
    'If this lasts, the log of the leader says why it does not. A Java leader assigns at its next firing.',
  'finding.unassigned.waits':
    'The items wait for the leader {leader} to assign them, and the leader waits for items that run.',
  'finding.unassigned.waits.then': 'No item begins before they are assigned.',
  'finding.unassigned.waits.cure':
    'If this lasts, the log of the leader says why it does not. A Java leader assigns at its next firing.',
  'finding.unowned-items': 'No instance owns the items {items}.',
  'finding.unowned-items.then': 'No instance runs them.',
  'finding.unowned-items.cure': 'The leader assigns them within moments. If this lasts, look at its log.',
  'finding.unowned-items.static': 'No instance owns the items {items}, and static sharding keeps them so.',
  'finding.unowned-items.static.then': 'No instance runs them.',
  'finding.unowned-items.static.cure': 'Switch static sharding off until they are assigned again.',
  'finding.dead-owner': 'The owners of the items {items} are gone: {owners}.',
  'finding.dead-owner.then': 'No instance runs them.',
  'finding.dead-owner.cure': 'The leader assigns them within moments. If this lasts, look at its log.',
  'finding.dead-owner.static':
    'The owners of the items {items} are gone ({owners}), and static sharding keeps them so.',
  'finding.dead-owner.static.then': 'No instance runs them.',
  'finding.dead-owner.static.cure': 'Switch static sharding off until they are assigned again.',
  'finding.stale-running': 'The items {items} bear the mark of a run whose instance is gone.',
  'finding.stale-running.then': 'As long as the mark stands, no instance begins them.',
  'finding.stale-running.cure':
    'Instances of this library remove such marks. If none lives, delete the nodes running below sharding.',
  'finding.stale-running.failover': 'The items {items} bear the mark of a run whose instance is gone.',
  'finding.stale-running.failover.then': 'As long as the mark stands, no instance begins them.',
  'finding.stale-running.failover.cure':
    'With failover, an idle instance takes the runs over. Start or restart an instance.',
  'finding.stale-failover': 'The items {items} bear the mark of a takeover whose instance is gone.',
  'finding.stale-failover.then': 'As long as the mark stands, the owner does not begin them.',
  'finding.stale-failover.cure':
    'Instances of this library remove such marks. If none lives, delete the nodes failover and failovering below sharding.',
  'finding.stale-failover.failover': 'The items {items} bear the mark of a takeover whose instance is gone.',
  'finding.stale-failover.failover.then': 'As long as the mark stands, the owner does not begin them.',
  'finding.stale-failover.failover.cure':
    'With failover, an idle instance takes the runs over. Start or restart an instance.',
  'finding.stale-crash.failover-off': 'The items {items} have a report of a crash although failover is off.',
  'finding.stale-crash.failover-off.then':
    'If failover is switched on again, instances run them for an instant long past.',
  'finding.stale-crash.failover-off.cure': 'Remove the reports.',
  'finding.stale-crash.no-instance': 'Crashed runs of the items {items} wait to be taken over.',
  'finding.stale-crash.no-instance.then': 'No instance is enabled that could run them again.',
  'finding.stale-crash.no-instance.cure': 'Start an instance, or enable a server.',
  'finding.stale-misfire': 'The items {items} bear the mark of a missed firing although misfire is off.',
  'finding.stale-misfire.then': 'If misfire is switched on again, a Java instance runs them once more.',
  'finding.stale-misfire.cure': 'Remove the marks.',
  'finding.stale-trigger': 'A trigger waits for {instanceId}, which is gone.',
  'finding.stale-trigger.then': 'No instance accepts it.',
  'finding.stale-trigger.cure': 'Remove it. Trigger the job again if its run is missing.',
  'finding.offline-server': 'The server {serverIp} has no living instance.',
  'finding.offline-server.then':
    'None for the items. Servers of pods that do not come back add up, and consoles list them.',
  'finding.offline-server.cure': 'Prune the offline servers.',
  'finding.offline-server.disabled': 'The server {serverIp} has no living instance, and is disabled.',
  'finding.offline-server.disabled.then':
    'None for the items. Servers of pods that do not come back add up, and consoles list them.',
  'finding.offline-server.disabled.cure': 'If it does not come back, prune the offline servers with the disabled ones.',
  'finding.unknown-server-status':
    'The state of the server {serverIp} is neither enabled nor disabled, which counts as disabled.',
  'finding.unknown-server-status.then': 'Instances there are given no items.',
  'finding.unknown-server-status.cure': 'Enable the server, or disable it.',
  'finding.unreadable-instance':
    'The node of {instanceId} does not describe an instance: ElasticJob before 3.0 leaves it empty, and its console overwrites it.',
  'finding.unreadable-instance.then': 'That instance is given no items.',
  'finding.unreadable-instance.cure':
    'Restart that instance with ElasticJob 3.0 or later. Instances of this library mend their node by themselves.',
  'finding.stray-item': 'The node sharding/{name} is no item, as its name is no number.',
  'finding.stray-item.then': 'Java instances and consoles fail at such a node.',
  'finding.stray-item.cure': 'Delete it.',
  'finding.mixed-versions': 'Java and Node instances run the job together: {java} and {node}.',
  'finding.mixed-versions.then':
    'Java instances keep no record of their runs, so firings during a change of instances are not made up for.',
  'finding.mixed-versions.cure':
    'Fine during a migration. Finish it before you rely on the guarantees of this library alone.',
  'finding.clock-ahead':
    '{instanceId} has begun items for {instant}, which is {seconds} s ahead of the clock of the registry centre.',
  'finding.clock-ahead.then': 'It fires too early, and peers do not run these items for instants that it has recorded.',
  'finding.clock-ahead.cure':
    'Set the clock of that machine (NTP). The greatest clock difference of the settings keeps a job from running there.',
  'finding.clock-difference.ahead': 'The clock of the console is {seconds} s ahead of that of the registry centre.',
  'finding.clock-difference.ahead.then':
    'Instances fire by the clocks of their machines: if those differ, firings during a change of instances may be missed.',
  'finding.clock-difference.ahead.cure': 'Synchronise the clocks of all machines (NTP).',
  'finding.clock-difference.behind': 'The clock of the console is {seconds} s behind that of the registry centre.',
  'finding.clock-difference.behind.then':
    'Instances fire by the clocks of their machines: if those differ, firings during a change of instances may be missed.',
  'finding.clock-difference.behind.cure': 'Synchronise the clocks of all machines (NTP).',
  'finding.unusable-settings': 'No instance can use the stored settings: {fault}',
  'finding.unusable-settings.then':
    'Running instances go on with their former settings. New instances cannot start the job.',
  'finding.unusable-settings.cure': 'Store a value that can be used.',
  'finding.offline-server.many': 'The server {serverIp} has no living instance of {count} jobs that list it: {jobs}.',
  'finding.offline-server.many.then':
    'None for the items. Servers of pods that do not come back add up, and consoles list them.',
  'finding.offline-server.many.cure': 'Prune the offline servers.',
  'finding.graph-cycle': 'The job runs after itself: {path}.',
  'finding.graph-cycle.then': 'None of these jobs ever runs by itself.',
  'finding.graph-cycle.cure': "Take one of them out of the field 'Runs after' of the one before it.",
  'finding.graph-unknown-upstream': "It runs after '{upstream}', and there is no such job.",
  'finding.graph-unknown-upstream.then': 'It waits until there is one.',
  'finding.graph-unknown-upstream.cure': 'Start an application that has that job, or name another one.',
  'finding.graph-unknown-upstream.meant':
    "It runs after '{upstream}', and there is no such job; did you mean '{meant}'?",
  'finding.graph-unknown-upstream.meant.then': 'It waits until there is one.',
  'finding.graph-unknown-upstream.meant.cure': 'Start an application that has that job, or name another one.',
  'finding.graph-unequal-items':
    "Its items are to run after those of '{upstream}' with the same numbers, but it has {own} items and '{upstream}' has {theirs}.",
  'finding.graph-unequal-items.then': 'The job never runs by itself.',
  'finding.graph-unequal-items.cure':
    'Give both the same number of items, or let its items wait for all upstream items.',
  'finding.graph-unrecorded':
    "The job '{unmonitored}' does not monitor its execution, so that no instance knows when its items have ended.",
  'finding.graph-unrecorded.then': 'The job never runs by itself.',
  'finding.graph-unrecorded.cure': 'Switch Monitor execution on in its settings.',
  'finding.graph-also-cron': "The job is set to run after others, and has the cron expression '{cron}' as well.",
  'finding.graph-also-cron.then': 'Applications that have it cannot start it.',
  'finding.graph-also-cron.cure': 'Empty one of the two fields.',
  'finding.upstream-unscheduled': "The upstream job '{upstream}' has neither a schedule nor upstream jobs of its own.",
  'finding.upstream-unscheduled.then': 'The job has a round only when somebody triggers the graph.',
  'finding.upstream-unscheduled.cure': 'If it is to run by itself, give the upstream job a schedule.',
  'finding.upstream-without-instance': "No instance of the upstream job '{upstream}' lives.",
  'finding.upstream-without-instance.then': 'The job runs for no instant until the upstream job runs again.',
  'finding.upstream-without-instance.cure':
    "Start an application that has the upstream job, or take it out of the field 'Runs after'.",
  'finding.upstream-disabled': "All servers of the upstream job '{upstream}' are disabled.",
  'finding.upstream-disabled.then': 'The job runs for no instant until the upstream job runs again.',
  'finding.upstream-disabled.cure': 'Enable the upstream job.',
  'finding.upstream-on-java': "Java instances take part in the upstream job '{upstream}': {count}.",
  'finding.upstream-on-java.then':
    'They write down no ends of runs, so a round with an item on a Java instance is never complete, and the job does not run for it.',
  'finding.upstream-on-java.cure': 'Let Node instances run all items of the upstream job.',
  'finding.upstream-round-open':
    "The round of '{upstream}' for {instant} is not complete: nobody runs its items {items}.",
  'finding.upstream-round-open.then': 'The job runs for neither that instant nor any later one.',
  'finding.upstream-round-open.cure':
    'Find out why they do not run, or disable them, so that the round is complete without them.',
  'finding.stale-successor': "'{successor}' is on record as running after this job, but does not.",
  'finding.stale-successor.then': 'Instances of this job write down ends and rounds that nobody needs.',
  'finding.stale-successor.cure': 'Delete the record, as elasticjob doctor --fix does.',
  'finding.open-nodes': 'Anyone may change {path}, although credentials are configured. Such nodes: {count}.',
  'finding.open-nodes.then':
    'Anyone with access to the registry centre can change, end or remove jobs. Some application may run without the credentials.',
  'finding.open-nodes.cure':
    'Configure the digest in all applications, and set the access rules of the nodes that exist: setAcl -R in zkCli.sh.',
  'finding.slow-registry': 'The registry centre takes {latencyMs} ms for one request.',
  'finding.slow-registry.then': 'A firing makes several requests one after the other, and begins late by as much.',
  'finding.slow-registry.cure':
    'Look for load, slow disks and the network between the console and the registry centre.',
  'finding.postgresql-standby': 'The PostgreSQL is a standby, which takes no writes.',
  'finding.postgresql-standby.then': 'No instance can start, and no job runs.',
  'finding.postgresql-standby.cure': 'Name the primary in the address of the registry centre.',
  'finding.postgresql-unsafe': 'PostgreSQL runs without {settings}.',
  'finding.postgresql-unsafe.then':
    'A crash of the server can lose commits that were confirmed: items may run twice, and fencing tokens may repeat.',
  'finding.postgresql-unsafe.cure': 'Switch on {settings}.',
  'finding.postgresql-asynchronous': 'No standby confirms commits. Standbys that follow: {standbys}.',
  'finding.postgresql-asynchronous.then':
    'A failover to a standby can lose the latest commits: items may run twice. Fencing tokens grow by a day.',
  'finding.postgresql-asynchronous.cure': 'Set synchronous_standby_names, if failovers are to lose nothing.',
  'finding.postgresql-connections': 'PostgreSQL has {used} of {most} connections in use.',
  'finding.postgresql-connections.then': 'Instances that start, or connect again after an outage, may find none free.',
  'finding.postgresql-connections.cure': 'Raise max_connections, or lower regCenter.connections of the applications.',
  'finding.postgresql-polled': 'Changes are polled twice a second, as notifications are switched off.',
  'finding.postgresql-polled.then': 'The console reacts half a second later, and the database has more requests.',
  'finding.postgresql-polled.cure': 'Without a pooler of transactions in between, switch notifications on.',
  'finding.postgresql-pooled':
    'The connection that should listen to changes listens to nothing: a pooler lends it to others.',
  'finding.postgresql-pooled.then': 'Changes are learnt of only by heartbeats, seconds later.',
  'finding.postgresql-pooled.cure':
    'Connect to the server itself, use a pooler of sessions, or switch notifications off.',
  'finding.postgresql-vacuum': 'autovacuum or track_counts is off.',
  'finding.postgresql-vacuum.then':
    'Each run leaves dead rows, which nobody removes: the tables grow, and requests become slow.',
  'finding.postgresql-vacuum.cure': 'Switch both on.',
  'finding.postgresql-bloat': 'The table {table} has {rows} dead rows, many more than living ones.',
  'finding.postgresql-bloat.then': 'Requests become slow.',
  'finding.postgresql-bloat.cure':
    'Look for transactions that stay open, which keep autovacuum from removing them. Then VACUUM the table.',
  'finding.etcd-alarm': 'etcd has raised the alarm {alarms}.',
  'finding.etcd-alarm.then': 'It takes no writes: no instance can start, and no job runs.',
  'finding.etcd-alarm.cure':
    'NOSPACE: compact and defragment the database, then disarm the alarm. CORRUPT: replace that member.',
  'finding.etcd-space': 'The database of etcd has {megabytes} MB, near its limit of {limit} MB.',
  'finding.etcd-space.then': 'When it is full, etcd takes no writes, and no job runs.',
  'finding.etcd-space.cure': 'Compact and defragment it, and switch on --auto-compaction-retention.',
  'finding.etcd-max-txn-ops':
    'The servers accept fewer operations in one transaction than maxTxnOps says ({configured}).',
  'finding.etcd-max-txn-ops.then': 'Commits of jobs with many items are refused.',
  'finding.etcd-max-txn-ops.cure': 'Set maxTxnOps to --max-txn-ops of the servers, or start them with a greater one.',
  'finding.etcd-open': 'etcd asks for no user.',
  'finding.etcd-open.then': 'Anyone who reaches the servers can change, end or remove jobs.',
  'finding.etcd-open.cure':
    'Switch users on (etcdctl auth enable), or keep others from the servers by certificates or the network.',
  'finding.etcd-single': 'etcd has one member.',
  'finding.etcd-single.then': 'While it is down, no job begins. If its disk is lost, all settings are.',
  'finding.etcd-single.cure': 'Run three members, or five.',
  'finding.etcd-members': 'Members of etcd do not answer: {members}.',
  'finding.etcd-members.then':
    'Instances use the others. Without a majority of its members etcd takes no writes, and no job runs.',
  'finding.etcd-members.cure': 'Start the member, or remove its address from the registry centre.',
  'finding.etcd-version': 'Members of etcd are too old: {members}.',
  'finding.etcd-version.then': 'Instances cannot use these members.',
  'finding.etcd-version.cure': 'Upgrade etcd, one minor version after the other.',
  'finding.etcd-mixed': 'The members of etcd have different versions: {members}.',
  'finding.etcd-mixed.then': 'etcd supports that only during an upgrade, and works as the oldest version does.',
  'finding.etcd-mixed.cure': 'Bring all members to one version.',
  'finding.etcd-history': 'etcd keeps its history of more than a million changes.',
  'finding.etcd-history.then': 'The database grows until its limit, upon which etcd takes no writes.',
  'finding.etcd-history.cure': 'Switch on --auto-compaction-retention.',
} as const;
