/**
 * One instance of the sample, with its HTTP endpoints. Start several, each in a terminal of its own:
 *
 *   ELASTICJOB_REGCENTER_SERVERLISTS=localhost:2181 DATABASE_URL=postgres://… node dist/sample/main.js
 */
import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule.named(`${hostname()}:${process.pid}`));
// So that Ctrl-C and SIGTERM end the jobs first, and their items move at once.
app.enableShutdownHooks();
await app.listen(process.env['PORT'] ?? 0);
new Logger('Sample').log(`Listening on ${await app.getUrl()}: GET /orders, POST /orders, GET /health`);
