create table part(id integer primary key, kind int, name text, weight real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
 insert into part select i, i * 31 % 57, 'part-' || (i * 7919 % 1009), i * 0.25 from n;
create index part_name on part(name);
select kind, count(*), sum(weight) from part group by kind order by 2 desc, 1 limit 5;
select a.id, b.id from part a join part b on a.name = b.name and a.id < b.id order by 1, 2 limit 5;
update part set weight = weight * 2 where name like 'part-1%';
delete from part where kind in (select kind from part where id < 9);
select count(*), max(length(name)), total(weight) from part;
select id, avg(weight) over (order by id rows 5 preceding) from part order by id desc limit 3;
