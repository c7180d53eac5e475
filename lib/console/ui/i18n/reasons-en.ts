/** The sentences of the tab "Explain", by the server's codes. The items, or the job, stand before each sentence. */
export const reasonsEn = {
  'reason.switched-off': 'ElasticJob is switched off in this application.',
  'reason.unknown-job': 'There is no such job in this registry centre.',
  'reason.unknown-job.removed': 'There is no such job in this registry centre: it was removed.',
  'reason.no-configuration': 'It has no stored settings, so nothing of it runs.',
  'reason.unreadable-configuration': 'The stored settings cannot be used.',
  'reason.too-many-items': 'It has {shardingTotalCount} items, more than the {limit} that are possible.',
  'reason.no-instance': 'No instance of the job lives.',
  'reason.no-instance.stopped': 'No instance of the job lives. Those that stopped last: {stopped}.',
  'reason.servers-disabled': 'All servers with instances of the job are disabled: {servers}.',
  'reason.no-leader': 'The job has no leader, so no items are assigned.',
  'reason.unknown-leader': 'The leader {leader} is no living instance, so no items are assigned.',
  'reason.unknown-leader.persistent':
    'The leader {leader} is no living instance, and its node has no session, as after a copy or a restored backup.',
  'reason.being-assigned': 'The items wait for the leader {leader} to assign them. No item begins before that.',
  'reason.being-assigned.waits':
    'The items wait for the leader {leader} to assign them, and the leader waits for the running items {waitsFor}. No item begins before that.',
  'reason.no-schedule': 'It has no schedule: it runs only when it is triggered.',
  'reason.unusable-schedule': 'The schedule {cron} cannot be used.',
  'reason.schedule-over': 'The schedule has no instant any more.',
  'reason.instance-fault.blocked': 'The instance {instanceId} reports that the job cannot run there.',
  'reason.instance-fault.failed': 'The instance {instanceId} reports that the job has failed to start there.',
  'reason.instance-fault.impaired':
    'The instance {instanceId} reports that the job does not run there as its settings ask.',
  'reason.instance-fault.created': 'The job is not started yet on the instance {instanceId}.',
  'reason.instance-fault.starting': 'The job is just starting on the instance {instanceId}.',
  'reason.instance-fault.suspended': 'The job pauses on the instance {instanceId}.',
  'reason.no-such-item': 'The job has no such item. Its number of items is {shardingTotalCount}.',
  'reason.left-out': 'Not part of the present assignment: the number of items was changed.',
  'reason.left-out.then': 'Not part of the assignment at that time: the number of items was changed.',
  'reason.item-disabled': 'Disabled by an operator.',
  'reason.still-running.made-up-for':
    'Still running. Firings during the run are made up for by one run afterwards (misfire is on).',
  'reason.still-running.dropped': 'Still running. Firings during the run are dropped (misfire is off).',
  'reason.run-lost': 'The run died with its instance. Failover is off, so it runs at the next instant only.',
  'reason.run-lost.failover': 'The run died with its instance, and waits to be taken over by an idle one.',
  'reason.taken-over': 'Taken over by {by} after a crash. It does not begin again before that run has ended.',
  'reason.no-owner': 'No instance owns it, so none runs it.',
  'reason.owner-gone.stopped': 'Its owner {instanceId} has stopped.',
  'reason.owner-gone.died': 'Its owner {instanceId} has died: its session has ended.',
  'reason.owner-gone.unknown': 'Its owner {instanceId} is gone.',
  'reason.owner-stopping': 'Its owner {instanceId} is stopping: it finishes its running items, and begins none.',
  'reason.owner-unreadable': 'The node of its owner {instanceId} cannot be read, so that instance gets no items.',
  'reason.owner-disabled.DISABLED': 'Its owner {instanceId} is on the server {serverIp}, which is disabled.',
  'reason.owner-disabled.UNKNOWN':
    'Its owner {instanceId} is on the server {serverIp}, whose state is neither enabled nor disabled, which counts as disabled.',
  'reason.owner-disabled.MISSING':
    'Its owner {instanceId} is on the server {serverIp}, which has no node. It counts as disabled until the instance registers it again.',
  'reason.misfired': 'It has missed a firing. One run makes up for it as soon as nothing keeps it.',
  'reason.manual-run-due': 'It was triggered, and runs as soon as nothing keeps it.',
  'reason.triggered': 'Its owner {instanceId} has a trigger that it has not accepted yet.',
  'reason.free': 'Nothing keeps it from running.',
  'reason.free.next': 'Nothing keeps it from running. It runs next at {next}.',
  'reason.not-scheduled': 'The schedule has no such instant.',
  'reason.rescheduled': 'The schedule has been changed since then.',
  'reason.still-to-come': 'That firing is still to come.',
  'reason.ran.succeeded': 'It did run, and succeeded.',
  'reason.ran.failed': 'It did run, and failed.',
  'reason.ran.running': 'It began, and has not ended as far as the trace knows.',
  'reason.begun.running': 'It was begun for this instant on {instanceId}, and still runs.',
  'reason.begun.over': 'It was begun for this instant on {instanceId}.',
  'reason.begun.gone':
    'It was begun for this instant on {instanceId}, which is gone since. If that instance died before the run had ended, only failover runs it again.',
  'reason.begun-and-lost':
    'It was begun on {instanceId}, which died before the run had ended. No instance runs it again, as failover is off.',
  'reason.begun-and-lost.failover':
    'It was begun on {instanceId}, which died before the run had ended. An idle instance runs it again.',
  'reason.later-begun': 'It has been begun for a later instant since: {instant}.',
  'reason.later-begun.manual': 'It has been begun manually since.',
  'reason.misfire-off': 'It was still running then, and misfire is off, so the firing was dropped.',
  'reason.put-off': 'The firing could not begin, and was put off.',
  'reason.aborted': 'The run was aborted.',
  'reason.refused': 'The run failed before it began.',
  'reason.changed-hands':
    'It has changed its owner since it was last begun. Firings that came in between: {missed}; only the last of them is made up for.',
  'reason.not-recorded.unmonitored': 'There is no record of whether it ran, as monitorExecution is off.',
  'reason.not-recorded.java': 'There is no record of whether it ran, as its owner is a Java instance.',
  'reason.not-begun': 'No instance has begun it, and nothing on record says why.',

  'cure.accepts-soon':
    'The instance accepts it within moments. If this lasts, its process is frozen or cut off: look at its log.',
  'cure.add-instance': 'Its items go to other instances when it has ended. Start one if there is none.',
  'cure.ask-other-instant': 'Ask about one of the instants above, or correct the schedule or its time zone.',
  'cure.ask-other-item': 'Ask about another item.',
  'cure.assigned-soon': 'The leader assigns the items within moments. If this lasts, its log says why.',
  'cure.await-takeover': 'If this lasts, no instance is idle, or none is enabled: add an instance, or enable a server.',
  'cure.check-name': 'Check the name and the namespace. An application that has the job stores it when it starts.',
  'cure.clean-latch':
    'An election takes moments. If this lasts, delete the node below leader/election/latch whose process is gone.',
  'cure.correct-cause': 'Correct the cause that the message names.',
  'cure.correct-schedule': 'Correct the schedule and its time zone. Running instances keep the former one until then.',
  'cure.delete-leader': 'Delete the node leader/election/instance of the job: the instances elect another leader.',
  'cure.enable-item': 'Enable it.',
  'cure.enable-job': 'Enable the job on its servers.',
  'cure.enable-server': 'Enable the job on this server.',
  'cure.end-static-sharding': 'Switch static sharding off until the items are assigned again.',
  'cure.failover-on': 'Switch failover on if another instance shall run it again at once.',
  'cure.failover-or-trigger': 'Trigger the job, or switch failover on if another instance shall run it again.',
  'cure.follows-soon': 'It follows as soon as it can. If not, look at the log of that instance.',
  'cure.lasting-run':
    'If it should have ended, look at the log of that instance. A time limit (timeoutMilliseconds) ends such runs, and shutting the instance down aborts them.',
  'cure.lasting-script':
    'If it should have ended, look at the log of that instance: it says so if the script has exited and a process that it has started holds its output. A time limit (timeoutMilliseconds) ends such runs, and shutting the instance down aborts them.',
  'cure.leader-log':
    'If this lasts, the log of the leader says what keeps it from assigning the items, such as a sharding strategy that fails.',
  'cure.log-of-run': 'If it did nothing, look at the log of that instance: the run has failed or was aborted.',
  'cure.log-of-failure': 'Look at the log of that instance. Failover and misfire do not repeat runs that fail.',
  'cure.misfire-on':
    'Switch misfire on if one run shall make up for such firings, or give the runs more time between firings.',
  'cure.new-schedule': 'Give it another schedule.',
  'cure.one-run-makes-up':
    'One run makes up for all firings that were missed while an item was running or changed its owner.',
  'cure.owner-log':
    'Look at the log of the owner around that time: its process may have been frozen or cut off, or its clock may be behind.',
  'cure.raise-or-ask': 'Ask about another item, or raise the number of items.',
  'cure.record-runs': 'Record runs in a database (tracing.type: RDB) to know it next time.',
  'cure.reduce-items': 'Reduce the number of items.',
  'cure.restart-application': 'Restart an application that has the job: it then stores its own settings.',
  'cure.restart-instance': 'Restart that instance. An old console may have overwritten its node.',
  'cure.session-lost':
    'Its session was lost, or its process had to end. With failover, another instance runs it again.',
  'cure.start-application':
    'Start an application that has the job, and check that it has the same namespace. Its log says whether it has registered.',
  'cure.switch-on': 'Set elasticjob.enabled to true, and start the application again.',
  'cure.trigger-or-schedule': 'Trigger it, or give it a schedule.',
  'cure.write-settings':
    'Store valid settings, or delete the node config of the job and restart an instance, which then stores its own.',

  'limit.other-applications': 'Other applications may run the job; this one does not know.',
  'limit.java-types':
    'Java instances do not store whether they have the types that the settings name, and can use them ({types}): their logs say so.',
  'limit.unattributed':
    'The operator who switched it off is not known, as the console reads no records of operations. They are stored with tracing.type: RDB.',
  'limit.unrecorded':
    'The operator who switched it off is not on record: it was done by other tools or by the setting disabled, or longer ago than records are kept.',
  'limit.untraced':
    'Runs of the past are not known, as no trace is read here: the registry centre keeps only the last instant that was begun for each item.',
  'limit.no-operations': 'Changes by operators since then are not known, as no records of operations are read here.',
  'limit.unended': 'The end of that run is not known without a trace.',
  'limit.no-instants':
    'The trace does not say which instant a run was for: one that begins between two instants may make up for an earlier one, or be triggered.',
  'limit.java-runs': 'Runs of Java instances are not known: they keep no record of them in the registry centre.',
  'limit.frozen':
    'Its instance may have been frozen, cut off or without a session then, or its clock may have been wrong: only its log says so.',
  'limit.past-unreadable': 'Records of the past could not be read.',

  'fact.after': 'Next instant',
  'fact.alsoOn': 'Also on',
  'fact.at': 'When',
  'fact.before': 'Instant before',
  'fact.by': 'By',
  'fact.byAt': 'When',
  'fact.byWhy': 'Reason given',
  'fact.cron': 'Schedule',
  'fact.failureCause': 'Failure',
  'fact.fault': 'Fault',
  'fact.from': 'Last begun by',
  'fact.instanceId': 'Instance',
  'fact.lastBegun': 'Last instant begun',
  'fact.message': 'Message of the instance',
  'fact.reason': 'Message of the instance',
  'fact.serverIp': 'Server',
  'fact.similar': 'Similar name',
  'fact.since': 'Since',
  'fact.startedAt': 'Began',
  'fact.to': 'Owner now',
} as const;
