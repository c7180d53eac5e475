/** Faults of cron expressions and time zones. */
export const CRON_SENTENCES = {
  'cron-unusable': "Cron expression '{expression}' cannot be used: {reason}.",
  'cron-field': "{field} '{text}' {fault}; allowed are {allowed}",
  'cron-seconds': 'seconds',
  'cron-minutes': 'minutes',
  'cron-hours': 'hours',
  'cron-day-of-month': 'day of month',
  'cron-month': 'month',
  'cron-day-of-week': 'day of week',
  'cron-year': 'year',
  'cron-days': 'days',
  'cron-months': 'months',
  'cron-minute': 'minute',
  'cron-hour': 'hour',
  'cron-day': 'day',
  'cron-week': 'week',
  'allowed-numbers': "{numbers}, '*', lists '1,5', ranges '3-7', steps '*/5'",
  'allowed-days':
    "1-31, '*', lists '1,5', ranges '3-7', steps '*/5', '?', 'L', 'L-3' (up to 30), 'LW', 'L-3W' (up to 27), '15W'",
  'allowed-months': "1-12 or JAN-DEC, '*', lists '1,5', ranges '3-7', steps '*/5'",
  'allowed-weekdays': "1-7 (1 is SUN) or SUN-SAT, '*', lists '1,5', ranges '3-7', steps '*/5', '?', 'L', '6L', '6#3'",
  'allowed-years': "years such as 2030, '*', lists '1,5', ranges '3-7', steps '*/5'; nothing ever fires after {last}",
  'fault-comma': 'has a comma with nothing before or after it',
  'fault-name': "has '{text}', which is no name it knows",
  'fault-range': "has '{text}', which is out of range",
  'fault-unreadable': "has '{text}', which cannot be read",
  'fault-step': "has the step {step} in '{item}', of which {most} is the largest",
  'fault-every-year': "has '{text}', which Quartz takes for every year",
  'fault-range-end': 'has a range that ends in {end}, before {start}',
  'fault-last-and-others': "has 'L' together with other days",
  'fault-back-30': 'goes back more than 30 days from the last',
  'fault-back-27': 'goes back more than 27 days from the last, where some months have no such weekday and Quartz hangs',
  'fault-many-hashes': "has more than one '#'",
  'fault-hash': "has '{item}', but only 1 to 5 may follow '#'",
  'cron-no-text': 'it is no text',
  'cron-option': "unknown option '{option}'; the only one is timeZone, as in { timeZone: 'Asia/Shanghai' }",
  'cron-options': "its options must be a plain object, such as { timeZone: 'Asia/Shanghai' }",
  'cron-two-days':
    "day of month is '{dayOfMonth}' and day of week is '{dayOfWeek}', but exactly one of the two must be '?'",
  'cron-few-fields':
    'it has {count} fields, but 6 or 7 are needed: seconds, minutes, hours, day of month, month, day of week, and optionally year',
  'cron-one-field':
    'it has 1 field, but 6 or 7 are needed: seconds, minutes, hours, day of month, month, day of week, and optionally year',
  'cron-blank-character':
    'it has the character {character}, which is no space and separates no fields: write one expression, with spaces',
  'crontab-both-days': `day of month '{dayOfMonth}' and day of week '{dayOfWeek}' both restrict it, which crontab takes for "one or the other" and Quartz cannot say; make two jobs of it, with '{first}' and '{second}', or choose one of these`,
  'crontab-last-day':
    "day of month '{text}' has 'L' together with other days, which Quartz cannot say; make two jobs of it, one of them with 'L' alone",
  'crontab-weekdays':
    "day of week '{text}' has '{mark}' together with other days, which Quartz cannot say; make a job of each",
  crontab:
    "it has no '?', hence is crontab text, and {fault}; allowed are '[second] minute hour day-of-month month day-of-week', macros (@yearly, @monthly, @weekly, @daily, @hourly, @minutely, @weekdays, @weekends), or a Quartz expression with '?' in one day field",
  'crontab-fields': 'it has {count} fields, but 5 or 6 are needed',
  'crontab-one-field': 'it has 1 field, but 5 or 6 are needed',
  'crontab-year':
    "it has {count} fields, but 5 or 6 are needed; years are known to Quartz only, where one of the day fields is '?'",
  'crontab-zone': "'{zone}' names a time zone, which is a setting of its own: timeZone",
  'crontab-reboot': "'@reboot' is no time; start a one-off job instead",
  'crontab-hash': "'H' stands for a number that each instance would draw for itself; write the number",
  'crontab-macro': "'{macro}' is no macro it knows",
  'crontab-parser': 'cron-parser says "{reason}"',
  'step-too-long':
    "{field} '{text}' has the step {step} in '{item}', of which {most} is the largest, as the {values} begin again with each {whole}; {cure}",
  'step-one-by-one': "write the {values} one by one, such as '0,7', in several jobs if need be",
  'step-every': "for every {count} {unit}, write '{text}'",
  'step-90-minutes': "for every 90 minutes, make two jobs of it, with '{first}' and '{second}'",
  'zone-not-known': "Time zone '{timeZone}' is not known: {hint}.",
  'zone-allowed':
    "allowed are GMT with an offset up to 23:59 ('GMT+8', 'GMT+08:00', 'GMT-0530'), 'UTC', and IANA ids such as 'Asia/Shanghai'",
  'zone-correction':
    "write '{right}'; allowed are GMT with an offset up to 23:59 ('GMT+8', 'GMT+08:00', 'GMT-0530'), 'UTC', and IANA ids such as 'Asia/Shanghai'",
} as const;
