#!/usr/bin/env node
import { launch } from "./launch.js";

await launch("farthing", import.meta.url, 20);
